//! What one answer means.

use palaestra_models::Finish;

use super::support::response;
use crate::code_cell::reply::Reply;
use crate::conversation::Fault;

fn read(text: &str, finish: Finish) -> Reply {
    Reply::of(response(text.to_owned(), finish))
}

fn cell(text: &str, code: &str) -> Reply {
    Reply::Cell { text: text.to_owned(), code: code.to_owned() }
}

#[test]
fn the_first_block_is_the_cell_and_nothing_behind_it_stays() {
    let made_up = "So.\n```python\nx = 1\nprint(x)\n```\nOutput:\n```\n7\n```\n```python\ny\n```";
    let kept = "So.\n```python\nx = 1\nprint(x)\n```";
    assert_eq!(read(made_up, Finish::Stop), cell(kept, "x = 1\nprint(x)\n"));
    assert_eq!(read("```Py\na\n```", Finish::Stop), cell("```Py\na\n```", "a\n"));
    assert_eq!(read("```\na\n```", Finish::Stop), cell("```\na\n```", "a\n"));
    let other = "```json\n{}\n```\nNow:\n  ```python\na\n  ```";
    let Reply::Cell { code, .. } = read(other, Finish::Stop) else { panic!("no cell") };
    assert_eq!(code, "a\n");
}

#[test]
fn a_block_that_a_stop_has_left_open_is_whole_and_one_that_the_limit_cut_is_not() {
    assert_eq!(read("```python\na\nb", Finish::Stop), cell("```python\na\nb\n```", "a\nb\n"));
    assert_eq!(read("```python\na\nb", Finish::Length), Reply::Unusable(Fault::CutOff));
    assert_eq!(read("I shall now", Finish::Length), Reply::Unusable(Fault::CutOff));
    assert_eq!(read("```python\na\n```\nand th", Finish::Length), cell("```python\na\n```", "a\n"));
}

#[test]
fn words_and_nothing_are_told_apart() {
    assert_eq!(read(" hi\n", Finish::Stop), Reply::Words(" hi\n".to_owned()));
    assert_eq!(read(" \n", Finish::Stop), Reply::Unusable(Fault::Empty));
    assert_eq!(read("```python\na\n```", Finish::ContentFilter), Reply::Unusable(Fault::Withheld));
}
