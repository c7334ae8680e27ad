//! The planted values: words that no language has, so that finding one is never chance.

/// How many tasks are recorded.
pub const TASKS: usize = 6;

/// A word of each task's text that is no secret, by which the service knows the task again.
pub const DESKS: [&str; TASKS] = ["amber", "birch", "cobalt", "dune", "ember", "fern"];

/// Everything private about one task.
#[derive(Debug, Clone)]
pub struct Secrets {
    pub first: String,
    pub last: String,
    pub email: String,
    pub phone: String,
    pub user: String,
    pub order: String,
    pub item: String,
    pub product: String,
    pub address: String,
    pub city: String,
    pub zip: String,
    pub title: String,
    /// What no call and no answer shows: the user and the agent only speak of it.
    pub spoken_email: String,
    pub spoken_phone: String,
    pub spoken_code: String,
}

impl Secrets {
    pub fn of_task(task: usize) -> Self {
        let word = |kind: usize| word(task * 10 + kind);
        let (first, last) = (word(0), word(1));
        Self {
            email: format!("{}.{}@mail.test", first.to_lowercase(), last.to_lowercase()),
            phone: format!("+1 415 555 {:04}", 7_301 + task),
            user: format!("{}_{}_{}", last.to_lowercase(), first.to_lowercase(), 8_120 + task),
            order: format!("#W{}", 7_719_283 + task),
            item: (4_408_112_950_u64 + task as u64).to_string(),
            product: format!("{} {} Lamp", word(2), word(3)),
            address: format!("{} {} Lane", 611 + task, word(4)),
            city: word(5),
            zip: (90_310 + task).to_string(),
            title: format!("Minutes of the {} Circle", word(6)),
            spoken_email: format!("{}@{}.test", word(7).to_lowercase(), word(8).to_lowercase()),
            spoken_phone: format!("628-555-{:04}", 3_140 + task),
            spoken_code: format!("RK{}", 5_530_127 + task),
            first,
            last,
        }
    }

    /// All values, as a card could repeat them.
    pub fn values(&self) -> Vec<String> {
        let mut values = vec![format!("{} {}", self.first, self.last)];
        let single = [
            &self.first,
            &self.last,
            &self.email,
            &self.phone,
            &self.user,
            &self.order,
            &self.item,
            &self.product,
            &self.address,
            &self.city,
            &self.zip,
            &self.title,
            &self.spoken_email,
            &self.spoken_phone,
            &self.spoken_code,
        ];
        values.extend(single.into_iter().cloned());
        values
    }
}

/// Names of models, as the recordings give them.
pub fn models() -> [String; 3] {
    [70, 71, 72].map(|number| format!("{}-9b-chat", word(number)))
}

/// What a text holds of all that is planted.
pub fn found_in(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let values = (0..TASKS).flat_map(|task| Secrets::of_task(task).values()).chain(models());
    values.filter(|value| text.contains(&value.to_lowercase())).collect()
}

/// The n-th invented name.
fn word(number: usize) -> String {
    const SYLLABLES: [&str; 8] = ["zor", "quil", "vex", "thra", "wim", "plo", "gru", "nax"];
    let syllable = |power: u32| SYLLABLES[number / 8_usize.pow(power) % 8];
    let mut letters = [syllable(0), syllable(1), syllable(2)].concat().into_bytes();
    letters[0].make_ascii_uppercase();
    String::from_utf8(letters).unwrap()
}
