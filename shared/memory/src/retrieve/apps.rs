//! apps(x) of Equation 1: which applications a task's text names.

use std::collections::BTreeSet;

use super::tokenise::terms;

/// Parts of application names that say nothing about the application.
const GENERIC: [&str; 9] = ["agent", "api", "app", "client", "server", "servic", "system", "tool", "world"];

/// The applications of which a distinctive part stands in the text: `email` in "answer the email"
/// names `EmailClientV2`. A task that names none leaves the app prior out.
#[must_use]
pub fn apps_named<'a>(text: &str, apps: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    let words: BTreeSet<String> = terms(text).into_iter().collect();
    let distinctive = |part: &String| {
        !GENERIC.contains(&part.as_str()) && !part.chars().any(|c| c.is_ascii_digit()) && words.contains(part)
    };
    apps.into_iter().filter(|app| terms(app).iter().any(distinctive)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_app_is_named_by_its_distinctive_word() {
        let apps = ["EmailClientV2", "Calendar", "SystemApp"];
        let named = apps_named("Move the emails about the system to the app folder", apps);
        assert_eq!(named.into_iter().collect::<Vec<_>>(), ["EmailClientV2"]);
        assert!(apps_named("buy milk", apps).is_empty());
    }
}
