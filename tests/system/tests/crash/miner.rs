//! The built-in miner, two banks side by side.

use std::sync::Arc;

use palaestra_methods::contramem::miner::ContrastMiner;

use crate::run::{Files, Model, all_crashes, count_writes, to_the_end, until_crash, workshop};

#[test]
fn a_run_that_dies_at_any_write_continues_to_the_same_bank_and_the_same_history() {
    let model: Model<'_> = &|_, _| Arc::new(ContrastMiner);
    let tasks = ["workshop/ambiguity/which_file", "workshop/execution/archive_sender"];
    let spec = workshop("crash", &tasks, "builtin/contrast-miner");
    let files = Files::new();
    let undisturbed = to_the_end(&spec, &files.store("undisturbed"), model);
    assert!(undisturbed.bank.contains("skill::skill_"), "the run is worth crashing: {}", undisturbed.bank);
    assert_eq!(undisturbed.streams.len(), 5, "the run, the functions, two abilities, the freeze");
    let writes = count_writes(&spec, &files.store("counted"), model);
    println!("{writes} durable writes");
    assert!(writes > 20, "{writes} writes");
    for (write, moment) in all_crashes(writes) {
        let file = files.store(&format!("{write}-{moment:?}"));
        until_crash(&spec, &file, model, write, moment);
        assert_eq!(
            to_the_end(&spec, &file, model),
            undisturbed,
            "crash at write {write} of {writes}, {moment:?}"
        );
    }
}
