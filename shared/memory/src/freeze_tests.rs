//! Bank files: what is read back, and what is refused.

use crate::error::Error;
use crate::fixtures::{bank, function_card};
use crate::freeze::FrozenBank;

fn frozen() -> FrozenBank {
    let mut bank = bank(&["order", "booking"]);
    crate::apply::add_function_card(&mut bank, function_card()).unwrap();
    FrozenBank::new(bank).unwrap()
}

#[test]
fn a_file_reads_back_with_the_same_bytes() {
    let frozen = frozen();
    let text = frozen.to_json().unwrap();
    let again = FrozenBank::from_json(&text).unwrap();
    assert_eq!(again, frozen);
    assert_eq!(again.to_json().unwrap(), text);
    assert_eq!((again.counts().functions, again.counts().skills.values().sum::<usize>()), (1, 2));
}

#[test]
fn a_changed_torn_or_newer_file_is_refused() {
    let text = frozen().to_json().unwrap();
    let changed = text.replace("only one that fits", "first one that fits");
    assert!(matches!(FrozenBank::from_json(&changed), Err(Error::WrongDigest { .. })));
    let torn = text.get(..text.len() / 2).unwrap();
    assert!(matches!(FrozenBank::from_json(torn), Err(Error::Json { .. })));
    for (old, new) in [(r#""format":1}"#, r#""format":2}"#), (r#"{"format":1"#, r#"{"format":9"#)] {
        let newer = text.replacen(old, new, 1);
        assert_ne!(newer, text, "{old}");
        assert!(matches!(FrozenBank::from_json(&newer), Err(Error::NewerFormat { .. })), "{new}");
    }
    assert!(matches!(FrozenBank::from_json("{}"), Err(Error::Json { .. })));
}

#[test]
fn a_card_under_another_name_is_refused() {
    let mut bank = bank(&["order"]);
    let cards = bank.skill_cards.values_mut().next().unwrap();
    let card = cards.pop_first().unwrap().1;
    cards.insert(palaestra_domain::CardId::new("skill::skill_00000000").unwrap(), card);
    assert!(matches!(FrozenBank::new(bank), Err(Error::Inconsistent { .. })));
}
