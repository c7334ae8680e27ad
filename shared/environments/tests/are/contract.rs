//! The conformance suite.

use palaestra_domain::task::Split;
use palaestra_domain::tool::Effect;
use palaestra_environments::Environment as _;
use palaestra_environments::are::{Gaia2, RECIPE};
use palaestra_environments::conformance::{Process, Sample, check_process};
use palaestra_environments::contract::{Act, UserPart};
use palaestra_environments::launch::Installer;
use palaestra_environments::wire::WireEnvironment;
use serde_json::json;

use crate::support::{Judge, content, installed};

#[tokio::test]
async fn gaia2_keeps_the_contract() {
    let Some(installed) = installed() else { return };
    let judge = Judge::new(content);
    let pool = |settings| Gaia2::default().adapter().pool_of(&installed, settings);
    let mut world = WireEnvironment::new(pool(Default::default()), judge.clone());
    let tasks = world.tasks(Split::Reference, 1, 0).await.unwrap();
    let task = tasks.into_iter().find(|task| task.id.as_str() == "gaia2/execution/tidy-up-1").unwrap();
    let arguments = json!({ "first_name": "Ada", "last_name": "Byron" }).as_object().unwrap().clone();
    let write = Act { id: "call-1".to_owned(), function: "Contacts.add_new_contact".to_owned(), arguments };
    let sample = Sample { task, seed: 3, write, scenarios_apart: true };
    check_process(&Process { pool: &pool, asked: judge }, &sample).await.unwrap();
}

#[tokio::test]
async fn the_description_offers_the_applications_and_hides_the_rest() {
    let Some(installed) = installed() else { return };
    let pool = Gaia2::default().adapter().pool_of(&installed, Default::default());
    let mut world = WireEnvironment::new(pool, Judge::new(content));
    let description = world.describe().await.unwrap();
    assert_eq!(description.user, UserPart::Leads);
    let effect =
        |name: &str| description.tools.iter().find(|tool| tool.name.as_str() == name).map(|tool| tool.effect);
    assert_eq!(effect("Emails.forward_email"), Some(Effect::Write));
    assert_eq!(effect("Emails.list_emails"), Some(Effect::Read));
    assert_eq!(effect("SystemApp.wait_for_notification"), Some(Effect::Wait));
    let hidden = |name: &str| name.starts_with("AgentUserInterface") || name.starts_with("InternalContacts");
    assert!(!description.tools.iter().any(|tool| hidden(tool.name.as_str())));
    let rules = description.rules.unwrap();
    assert!(rules.contains("Notification policy") && !rules.contains("<<"), "{rules}");
    for part in ["are=1.2.0", "data=", "charge=1", "temporal=on"] {
        assert!(description.data_version.contains(part), "{}", description.data_version);
    }
}

/// Asks the user's own package index, so only on request: `PALAESTRA_TEST_INSTALL=1`.
#[tokio::test]
async fn gaia2_can_be_installed() {
    if std::env::var_os("PALAESTRA_TEST_INSTALL").is_none() {
        println!("skipped: PALAESTRA_TEST_INSTALL=1 installs gaia2 where the other tests look for it");
        return;
    }
    let installed = Installer::from_environment().unwrap().install(&RECIPE).await.unwrap();
    println!("installed in {}", installed.folder().display());
}
