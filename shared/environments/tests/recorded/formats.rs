//! Every format and every pitfall of its records.

use palaestra_domain::outcome::UnresolvedClass;
use palaestra_domain::{Ability, Outcome, Trajectory};
use palaestra_environments::recorded::{Format, ImportOptions, Input, import};

use crate::support::{find, fixture, lines, read, refused, unresolved};

#[test]
fn tau1_results_are_read_with_all_their_oddities() {
    let imported = read(Input::new(fixture("tau1.json")));
    let keys: Vec<String> = imported.trajectories.iter().map(Trajectory::key).collect();
    assert_eq!(
        keys,
        ["tau1/airline/2#tau1#0", "tau1/airline/2#tau1#1", "tau1/airline/4#tau1#0", "tau1/airline/10#tau1#0"]
    );
    assert_eq!(imported.files[0].format, Some(Format::Tau1));
    assert_eq!((imported.files[0].records, imported.files[0].imported), (5, 4));
    let messages = refused(&imported);
    assert_eq!(messages.len(), 1);
    assert!(
        messages[0].starts_with("tau1.json | record 4 | reward | invalid type: string \"high\""),
        "{messages:?}"
    );

    let moved = find(&imported, "tau1/airline/10#tau1#0");
    assert_eq!(moved.outcome, Outcome::Scored { passed: true, reward: 1.0 });
    assert_eq!(moved.feedback, ["actions 1"]);
    assert_eq!(moved.task.instruction, "Move my trip to Friday.");
    assert_eq!(moved.task.scenario, "ada_berg_1001");
    assert_eq!(
        lines(moved),
        [
            "User says Move my trip to Friday.",
            r#"Agent c1 Read airline.get_user_details {"user_id":"ada_berg_1001"}"#,
            r#"Environment c1 -> {"name": "Ada"}"#,
            "Agent says I look at it.",
            r#"Agent c2 Write airline.update_reservation_flights malformed {"reservation_id": "AAA111""#,
            "Environment c2 -> Error: flights missing !",
            "Agent c3 Write airline.move_trip malformed [1] unknown",
            "Environment c3 -> Unknown action move_trip !",
            "Agent ends Done.",
            "User says ###STOP###",
        ]
    );
    assert_eq!(
        lines(find(&imported, "tau1/airline/2#tau1#1")),
        [
            "User says Cancel.",
            r#"Agent call-1 Read airline.think {"thought":"hm"}"#,
            "Environment call-1 -> ",
            "Agent c1 Finalize airline.transfer_to_human_agents {}",
            "Environment c1 -> Transfer successful",
        ]
    );
    assert_eq!(unresolved(find(&imported, "tau1/airline/4#tau1#0")), Some(UnresolvedClass::Provider));
}

#[test]
fn tau2_results_name_their_domain_and_model_wherever_info_stands() {
    let imported = read(Input::new(fixture("tau2_results.json")));
    assert_eq!(imported.files[0].format, Some(Format::Tau2));
    assert_eq!(imported.trajectories.len(), 4);
    let messages = refused(&imported);
    assert!(
        messages[0].starts_with("tau2_results.json | record 5 | messages[0].role | unknown variant"),
        "{messages:?}"
    );
    let first = find(&imported, "tau2/telecom/11#model-in-info#0");
    assert_eq!(first.feedback, ["final state matches", "COMMUNICATE 1", "DB 1"]);
    assert_eq!(
        lines(first),
        [
            "Agent says Hi! How can I help you today?",
            "User says My phone has no signal.",
            "Agent says Please open the status bar.",
            "User u1 Read telecom.check_status_bar {}",
            "Environment u1 -> Error: no bars !",
            "User says It says no bars.",
            r#"Agent a1 Read telecom.get_customer_by_phone {"phone":"555"}"#,
            r#"Agent a2 Write telecom.enable_roaming {"line":"L1"}"#,
            r#"Environment a1 -> {"id": "C1"}"#,
            "Environment a2 -> Error: Line not found !",
            r#"Agent ends {"message": "Done.", "note": "kept"}"#,
            "User says ###STOP###",
        ]
    );
    let limit = find(&imported, "tau2/telecom/11#model-in-info#1");
    assert_eq!(limit.outcome, Outcome::Scored { passed: false, reward: 0.0 });
    assert!(limit.feedback.contains(&"terminated by max_steps".to_owned()));
    let crashed = find(&imported, "tau2/telecom/2#model-in-info#0");
    assert_eq!(unresolved(crashed), Some(UnresolvedClass::Provider));
    assert!(crashed.events.is_empty());
    assert!(matches!(find(&imported, "tau2/telecom/2#model-in-info#1").outcome, Outcome::NoResult { .. }));
}

#[test]
fn tau2_lines_keep_what_stands_beside_bad_ones() {
    let imported = read(Input::new(fixture("tau2_lines.jsonl")));
    let messages = refused(&imported);
    assert_eq!(messages.len(), 3, "{messages:?}");
    assert!(messages[0].starts_with("tau2_lines.jsonl | line 2 | messages | EOF"), "{messages:?}");
    assert!(messages[1].starts_with("tau2_lines.jsonl | line 5 | trial | invalid type"), "{messages:?}");
    assert!(
        messages[2].starts_with("tau2_lines.jsonl | line 6 |  | task tau2/retail/7, source model-a, trial 1")
    );
    assert!(messages[2].contains("tau2_lines.jsonl, line 1 already"), "{messages:?}");
    let report = &imported.files[0];
    assert_eq!((report.records, report.imported), (6, 3));
    let first = find(&imported, "tau2/retail/7#model-a#1");
    assert_eq!(first.task.scenario, "ada_berg_1001");
    assert_eq!((first.usage.input, first.usage.output), (12, 5));
    assert_eq!(first.decoding_notes.len(), 1);
    assert!(
        first.decoding_notes[0].starts_with("1 lone surrogate(s), the first at byte "),
        "{:?}",
        first.decoding_notes
    );
    let lines = lines(first);
    assert_eq!(lines[lines.len() - 2], "Environment a2 -> Order not pending !");
    assert_eq!(lines[lines.len() - 1], "Agent ends Sorry \u{fffd} it is on its way \u{1f69a}.");
    assert!(find(&imported, "tau2/retail/70#model-a#1").outcome.failed());
}

#[test]
fn one_file_per_simulation_takes_its_source_from_the_folder() {
    let without = read(Input::new(fixture("one_per_file")));
    assert!(refused(&without).iter().all(|line| line.contains("| domain | neither the record nor the file")));
    assert_eq!((without.trajectories.len(), without.refused.len()), (0, 2));
    let imported = read(Input { domain: Some("retail".to_owned()), ..Input::new(fixture("one_per_file")) });
    assert!(find(&imported, "tau2/retail/1#model f#1").outcome.passed());
    assert!(find(&imported, "tau2/retail/2#model f#1").outcome.failed());
    let named = Input {
        source: Some("other".to_owned()),
        domain: Some("retail".to_owned()),
        ..Input::new(fixture("one_per_file"))
    };
    assert!(find(&read(named), "tau2/retail/1#other#1").outcome.passed());
}

#[test]
fn traces_tell_users_from_agents_and_crashes_from_failures() {
    let imported = read(Input::new(fixture("traces.jsonl")));
    assert_eq!(imported.refused, []);
    let slow = find(&imported, "tau2/telecom/slow[PERSONA:Easy]#model-b#3");
    assert_eq!(slow.task.scenario, "tau2/telecom/slow");
    assert_eq!((slow.usage.input, slow.usage.output), (100, 20));
    assert_eq!(
        lines(slow),
        [
            "Agent says Hi!",
            "User says My data is slow.",
            "User u1 Read telecom.run_speed_test {}",
            "Environment u1 -> 1 Mbps",
            r#"Agent a1 Read telecom.get_customer_by_phone {"phone":"555"}"#,
            r#"Environment a1 -> {"id": "C1"}"#,
            "Agent a2 Read telecom.run_speed_test {} unknown",
            "Environment a2 -> Error: Tool 'run_speed_test' not found. !",
            r#"Agent a3 Read retail.calculate {"expression":"1+1"}"#,
            "Environment a3 -> 2.0",
            "Agent a4 Write telecom.say__hi_ {\"x\":\"\u{fffd}\"} unknown",
            "Agent a5 Read telecom.get_data_usage {}",
            "Environment a5 -> 5 GB",
            "Environment a4 -> Error: Tool 'say <hi>' not found. !",
            "Agent ends All good now.",
        ]
    );
    assert_eq!(slow.decoding_notes.len(), 2, "{:?}", slow.decoding_notes);
    assert_eq!(find(&imported, "tau2/retail/1#model-b#3").feedback, ["final state differs", "DB 0"]);
    let classes: Vec<_> = imported.trajectories.iter().map(unresolved).collect();
    let (infrastructure, provider) = (Some(UnresolvedClass::Infrastructure), Some(UnresolvedClass::Provider));
    assert_eq!(classes, [None, infrastructure, provider, None, None]);
    assert!(find(&imported, "tau2/retail/4#model-b#3").outcome.failed());
}

#[test]
fn traces_beside_evaluations_are_read_in_pairs() {
    let imported = read(Input::new(fixture("pairs")));
    assert_eq!(imported.files.len(), 2, "evaluations are no trajectories of their own");
    let judged = find(&imported, "tau2/retail/5#model-c#2");
    assert!(judged.outcome.passed());
    assert_eq!(lines(judged), ["User says Hello", "Agent ends Bye"]);
    assert_eq!(unresolved(find(&imported, "tau2/retail/6#model-c#2")), Some(UnresolvedClass::Unknown));
}

#[test]
fn intercode_rewards_are_graded_against_the_threshold() {
    let imported = read(Input::new(fixture("intercode.json")));
    let messages = refused(&imported);
    assert_eq!(
        messages,
        ["intercode.json | record fs_3/0 | turn_history.observations | 2 observations of 1 actions"]
    );
    let logs = find(&imported, "intercode-bash/fs_2/0#intercode#1");
    assert_eq!(logs.outcome, Outcome::Scored { passed: true, reward: 1.0 });
    assert_eq!(logs.task.instruction, "Remove all logs");
    assert_eq!(logs.feedback, ["reward after each turn of at most 10 turns: 0.50 1.00"]);
    assert_eq!(
        lines(logs),
        [
            r#"Agent turn-1 Read bash.execute {"command":"ls /logs"}"#,
            "Environment turn-1 -> a.log",
            r#"Agent turn-2 Write bash.execute {"command":"rm /logs/*"}"#,
            "Environment turn-2 -> rm: refused\n !",
        ]
    );
    let count = find(&imported, "intercode-bash/fs_2/12#intercode#1");
    assert_eq!(count.outcome, Outcome::Scored { passed: false, reward: 0.84 });
    assert_eq!(lines(count)[2], "Agent ends blocked");
    let options = ImportOptions { pass_threshold: 0.8, ability: Some(Ability::new("shell").unwrap()) };
    let lenient = import(&[Input::new(fixture("intercode.json"))], &options).unwrap();
    let count = find(&lenient, "intercode-bash/fs_2/12#intercode#1");
    assert!(count.outcome.passed());
    assert_eq!(count.task.ability.as_ref().map(Ability::as_str), Some("shell"));
    let nonsense = ImportOptions { pass_threshold: f64::NAN, ability: None };
    assert!(import(&[], &nonsense).is_err());
}

#[test]
fn chat_transcripts_get_their_verdicts_from_the_label_file() {
    let labels = Some(fixture("chat_labels.csv"));
    let imported = read(Input { labels, ..Input::new(fixture("chat.jsonl")) });
    assert_eq!(imported.refused, []);
    let keys: Vec<String> = imported.trajectories.iter().map(Trajectory::key).collect();
    assert_eq!(keys, ["desk/1#model-d#1", "desk/1#model-d#2", "desk/2#model-e#1", "desk/10#model-e#1"]);
    let first = &imported.trajectories[0];
    assert_eq!(first.outcome, Outcome::Scored { passed: false, reward: 0.7 });
    assert_eq!((first.task.instruction.as_str(), first.task.scenario.as_str()), ("Send it.", "desk"));
    assert_eq!(first.decoding_notes, ["message 1: 1 part(s) without text left out"]);
    assert_eq!(
        lines(first)[1..],
        [
            r#"Agent c Write Mail.send {"to":"ada@example.com"}"#,
            "Agent d Read tools.lookup {}",
            "Environment c -> sent",
            r#"Environment d -> {"error": "no entry"} !"#,
            "Agent ends Sent.",
        ]
    );
    assert!(imported.trajectories[1].outcome.failed());
    assert_eq!(unresolved(&imported.trajectories[2]), Some(UnresolvedClass::Unknown));
    assert!(imported.trajectories[3].outcome.passed());
    let bare = read(Input::new(fixture("chat.jsonl")));
    assert!(bare.trajectories[3].outcome.passed(), "a transcript may carry its own label");
    let missing = Input { labels: Some(fixture("no such file")), ..Input::new(fixture("chat.jsonl")) };
    assert!(import(&[missing], &ImportOptions::default()).is_err());
}
