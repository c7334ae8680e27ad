//! Level 2: what is private is found, and ordinary language is not accused.

use std::collections::BTreeSet;

use palaestra_domain::RejectionReason as Reason;
use palaestra_domain::placeholder::Placeholder;

use crate::validate::{PrivacyRules, PrivacySources, ScenarioValues};

fn rules() -> PrivacyRules {
    let vocabulary: BTreeSet<String> =
        ["get_order_details", "payment_method_id", "gift_card", "credit_card", "iso8601_datetime"]
            .map(str::to_owned)
            .into();
    let values = [
        ("Mia Garcia", Placeholder::Person),
        ("Mark Chen", Placeholder::Person),
        ("gift card", Placeholder::Text),
        ("pale blue keyboard", Placeholder::ProductText),
        ("black", Placeholder::ProductText),
        ("red", Placeholder::ProductText),
        ("Rome", Placeholder::Location),
        ("54.04", Placeholder::Amount),
        ("12", Placeholder::Amount),
        ("tomorrow", Placeholder::DateOrTime),
        ("May 5", Placeholder::DateOrTime),
        ("HAT001", Placeholder::Id),
        ("I would like to move my flight to the next day please", Placeholder::Text),
    ];
    let sources = PrivacySources {
        names: &["acme/hasty-1", "o1"],
        identities: &["tau2/retail/5", "82e2fac_1", "5"],
        judge_prose: &["The agent did not follow the policy on refunds for shipped orders"],
    };
    PrivacyRules::new(ScenarioValues::new(values, &vocabulary).unwrap(), &sources, &vocabulary).unwrap()
}

fn found(text: &str) -> Vec<Reason> {
    rules().check(&[("field", text)]).into_iter().map(|rejection| rejection.reason).collect()
}

#[test]
fn private_things_are_found() {
    for (text, reason) in [
        ("write to jo.doe+x@mail.example.com", Reason::ContactDetails),
        ("call (555) 123-4567 first", Reason::ContactDetails),
        ("call +44 20 7946 0958", Reason::ContactDetails),
        ("open https://joe:pass@host/x", Reason::ContactDetails),
        ("open https://host/x?access_token=abc", Reason::ContactDetails),
        ("order #W1234567 is pending", Reason::LongIdentifier),
        ("item 123456", Reason::LongIdentifier),
        ("hash 9f86d081884c7d65", Reason::LongIdentifier),
        ("123e4567-e89b-12d3-a456-426614174000", Reason::LongIdentifier),
        ("user sofia_rossi_8776 agrees", Reason::LongIdentifier),
        ("pay with 4111 1111 1111 1111", Reason::LongIdentifier),
        ("as GPT-4o did", Reason::ModelName),
        ("like claude", Reason::ModelName),
        ("as hasty-1 does", Reason::ModelName),
        ("unlike run_b", Reason::TaskIdentity),
        ("in tau2/retail/5 it failed", Reason::TaskIdentity),
        ("scenario 82e2fac_1", Reason::TaskIdentity),
        ("the judge says no", Reason::JudgeProse),
        ("it did not follow the policy on refunds for shipped goods", Reason::JudgeProse),
        ("ask MIA GARCIA", Reason::ScenarioValue),
        ("ask mia_garcia", Reason::ScenarioValue),
        ("then Garcia confirms", Reason::ScenarioValue),
        ("then Mark confirms", Reason::ScenarioValue),
        ("Pale Blue  Keyboard", Reason::ScenarioValue),
        ("choose black", Reason::ScenarioValue),
        ("fly to Rome", Reason::ScenarioValue),
        ("it costs 54.04 in all", Reason::ScenarioValue),
        ("before May 5", Reason::ScenarioValue),
        ("flight hat001", Reason::ScenarioValue),
        ("move my flight to the next day please and wait", Reason::ScenarioValue),
        ("send <PERSON_2> the file", Reason::ScenarioValue),
    ] {
        assert!(found(text).contains(&reason), "{text:?}: {:?}", found(text));
    }
}

#[test]
fn ordinary_language_is_not_accused() {
    for text in [
        "mark the order as read before tomorrow and give the gift card back",
        "the red flag: 12 items in the cart",
        "EmailClientV2.delete_email removes one email",
        "payment_method_id comes from get_order_details, in iso8601_datetime form",
        "use <PERSON>, <EMAIL> and <DATE_OR_TIME> as they are",
        "a romed list of 5 or more entries; run a search; run_all",
        "dates are written YYYY-MM-DD, at most 100 per page",
        "a day in the form 2024-05-15 is accepted",
        "blackened chrome is another colour",
        "the agent did not follow the listing to its end",
        "judge whether the order fits",
    ] {
        assert_eq!(found(text), [], "{text:?}");
    }
}

#[test]
fn a_rejection_does_not_repeat_what_it_found() {
    let text = "ask Mia Garcia at mia@example.com about #W1234567";
    for rejection in rules().check(&[("title", text)]) {
        let said = rejection.to_string();
        assert!(!said.contains("Mia") && !said.contains("mia@") && !said.contains("W1234567"), "{said}");
        assert_eq!(rejection.field, "title");
    }
}
