//! The reference of every task of ours passes; without its deed, with another one, and without
//! completion it fails.

use palaestra_environments::appworld::HeldOut;

use crate::support::Stage;

/// What a reference's deed begins with, where it has one.
const DEEDS: [&str; 6] = [
    "apis.venmo.create_",
    "apis.venmo.approve_",
    "apis.simple_note.",
    "apis.spotify.create_",
    "apis.spotify.add_",
    "apis.todoist.update_",
];

/// The reference with its deeds left out; none where it only answers.
fn omitted(solution: &str) -> Option<String> {
    let deed = |line: &str| {
        let line = line.trim_start();
        DEEDS.iter().any(|deed| line.starts_with(deed) || line.starts_with(&format!("made = {deed}")))
            && !line.contains("complete_task")
    };
    if !solution.lines().any(deed) {
        return None;
    }
    let spaces = |line: &str| line.len() - line.trim_start().len();
    let kept = |line: &str| {
        if deed(line) { format!("{}made = 0", " ".repeat(spaces(line))) } else { line.to_owned() }
    };
    Some(solution.lines().map(kept).collect::<Vec<_>>().join("\n"))
}

#[tokio::test]
async fn the_reference_passes_and_each_fault_in_it_fails() {
    let all = std::env::var_os("PALAESTRA_TEST_ALL").is_some();
    let mut counts = (0, 0, 0, 0);
    for held_out in [HeldOut::TestNormal, HeldOut::TestChallenge, HeldOut::Dev] {
        let Some(mut stage) = Stage::open(held_out).await else { return };
        for task in stage.tasks.clone() {
            if held_out != HeldOut::TestNormal && task.id.as_str().contains("/train/") {
                continue;
            }
            let solution = stage.solution(&task);
            let verdict = stage.attempt(&task, &solution).await;
            assert!(verdict.passed && verdict.reward == 1.0, "{}: {verdict:?}", task.id);
            counts.0 += 1;
            // One task of each scenario shows its faults; `PALAESTRA_TEST_ALL=1` takes all three.
            if !all && !task.id.as_str().ends_with("_1") {
                continue;
            }
            if let Some(code) = omitted(&solution) {
                let verdict = stage.attempt(&task, &code).await;
                assert!(!verdict.passed, "{} without its deed: {verdict:?}", task.id);
                counts.1 += 1;
            }
            let answer = solution.replace("complete_task(answer=", "complete_task(answer='wrong' or ");
            let answer = answer.replace("complete_task()", "complete_task(answer='unasked')");
            let verdict = stage.attempt(&task, &answer).await;
            assert!(!verdict.passed, "{} with a wrong answer: {verdict:?}", task.id);
            let undone = solution.replace("apis.supervisor.complete_task", "str");
            let undone = undone.replace("str(answer=", "dict(answer=");
            let verdict = stage.attempt(&task, &undone).await;
            assert_eq!(verdict.reward, 0.0, "{} not completed: {verdict:?}", task.id);
            counts.2 += 2;
            let more = unwanted(&solution);
            let verdict = stage.attempt(&task, &more).await;
            assert_eq!(verdict.reward, 0.0, "{} with an unwanted change: {verdict:?}", task.id);
            counts.3 += 1;
        }
    }
    let (passed, left_out, wrong, unwanted) = counts;
    println!(
        "{passed} passed; {left_out} without deed, {wrong} wrong or not completed, {unwanted} with a change too many failed"
    );
    let expected = if all { (33, 21, 66, 33) } else { (33, 7, 22, 11) };
    assert_eq!((passed, left_out, wrong, unwanted), expected);
}

/// The reference with a change before it that no task wants.
fn unwanted(solution: &str) -> String {
    let change = "who = apis.supervisor.show_profile()\n\
                  keys = {one['account_name']: one['password'] for one in apis.supervisor.show_account_passwords()}\n\
                  key = apis.phone.login(username=who['phone_number'], password=keys['phone'])['access_token']\n\
                  apis.phone.create_alarm(time='07:00', label='Up', access_token=key)\n";
    format!("{change}{solution}")
}

#[tokio::test]
async fn only_train_and_dev_say_which_requirement_failed() {
    let Some(mut stage) = Stage::open(HeldOut::TestNormal).await else { return };
    let (taught, measured) = (stage.task("sendmoney_1"), stage.task("askmoney_1"));
    let said = stage.attempt(&taught, "pass").await.feedback;
    assert_eq!(said[0], "3 of 3 requirements not met");
    assert!(said[1].starts_with("not met: assert the task was completed"), "{said:?}");
    let said = stage.attempt(&measured, "pass").await.feedback;
    assert_eq!(said, ["3 of 3 requirements not met"]);
}
