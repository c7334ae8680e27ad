//! Writing, and recovering when a write is refused.

use serde_json::{Map, Value};

use super::reading::name;
use super::runner::{Halt, Runner, Step, unknown};

impl Runner<'_, '_> {
    /// Changes the world. When a name was refused as an address, the address is looked up and
    /// the write made again; any other refusal is the end of what this agent knows to do.
    pub(super) async fn write(&mut self, function: &str, arguments: &Map<String, Value>) -> Step {
        let filled = self.bound.fill_map(arguments).map_err(unknown)?;
        let function = name(function)?;
        let mut result = self.session.call(&function, filled).await?;
        if result.error && result.content.contains("e-mail address") && !self.presumed.is_empty() {
            self.look_up_presumed().await?;
            let filled = self.bound.fill_map(arguments).map_err(unknown)?;
            result = self.session.call(&function, filled).await?;
        }
        if result.error { Err(Halt::GaveUp(result.content)) } else { Ok(()) }
    }
}
