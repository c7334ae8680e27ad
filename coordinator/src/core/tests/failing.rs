//! A store that fails: askers are told to ask again, the log is read again, and nothing is lost.

use std::sync::Arc;

use palaestra_store::Store;

use super::leading::lead;
use super::store::{Trouble, Troubled};
use crate::core::AskError;
use crate::state::tests::support::{register, result, run, submit, worker};
use crate::state::{Command, RunPhase};
use crate::{Answer, Error, News};

#[tokio::test(start_paused = true)]
async fn a_store_that_recovers_is_gone_on_with() {
    for trouble in [Trouble::Refused, Trouble::Unanswered] {
        let troubled = Troubled::new(100);
        let shared: Arc<dyn Store> = Arc::<Troubled>::clone(&troubled);
        let (core, leading) = lead(&shared).await;
        core.ask(submit("a", 1)).await.unwrap();
        core.ask(register("w", 1)).await.unwrap();
        let asked = core.ask(Command::RequestUnits { worker: worker("w"), most: 1 }).await.unwrap();
        let Answer::Units(grants) = asked else { panic!("no units") };
        let mut news = core.news();
        troubled.fail([trouble]);
        let result = result(&grants[0].lease);
        assert_eq!(core.ask(result.clone()).await, Err(AskError::Unavailable));
        assert_eq!(news.recv().await.unwrap(), News::Reopened);
        assert_eq!(core.ask(result).await, Ok(Answer::Done), "the same again");
        let phase = core.view(|state| state.run(&run("a")).unwrap().phase()).await.unwrap();
        assert_eq!(phase, RunPhase::Finished);
        leading.stop();
        leading.await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_has_stopped_for_good_ends_the_loop() {
    let troubled = Troubled::new(100);
    let shared: Arc<dyn Store> = Arc::<Troubled>::clone(&troubled);
    let (core, leading) = lead(&shared).await;
    troubled.fail([Trouble::Closed]);
    assert_eq!(core.ask(register("w", 1)).await, Err(AskError::Over));
    assert!(matches!(leading.await, Err(Error::Store { .. })));
    assert_eq!(core.ask(register("w", 1)).await, Err(AskError::Over));
}
