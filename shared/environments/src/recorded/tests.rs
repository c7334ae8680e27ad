//! Properties of the importers over arbitrary bytes.

use std::io::Write;

use proptest::prelude::*;

use super::options::{Format, ImportOptions, Input};
use super::{detect, import};

/// Pieces that make text which looks like a recording for a while.
fn fragments() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\n",
        "null",
        "1",
        "-0.5e",
        "true",
        "\"messages\":[",
        "\"traj\":[",
        "\"trace\":{",
        "\"task_id\":\"1\",",
        "\"simulations\":[",
        "\"turn_history\":{",
        "\"role\":\"user\",",
        "\"content\":\"\\ud83d\",",
        "\"tool_calls\":[{",
        "\"info\":{",
        "\"tasks\":[],",
        "\u{1f}",
        "é",
        "{\"format\":\"palaestra-trajectories\",\"version\":1}\n",
    ]);
    let bytes = prop_oneof![4 => piece.prop_map(|text| text.as_bytes().to_vec()), 1 => any::<Vec<u8>>()];
    prop::collection::vec(bytes, 0..40).prop_map(|pieces| pieces.concat())
}

fn import_bytes(bytes: &[u8], format: Option<Format>) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let input = Input { format, domain: Some("retail".to_owned()), ..Input::new(file.path()) };
    let imported = import(&[input], &ImportOptions::default()).unwrap();
    assert_eq!(imported.files.len(), 1);
    let report = &imported.files[0];
    assert_eq!(report.imported, imported.trajectories.len());
    let whole_file = imported.refused.iter().filter(|refusal| refusal.record.is_empty()).count();
    assert_eq!(report.records - report.imported, imported.refused.len() - whole_file);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in fragments(), format in prop::option::of(prop::sample::select(Format::ALL.to_vec()))) {
        import_bytes(&bytes, format);
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(&bytes).unwrap();
        let mut packed = packed.finish().unwrap();
        import_bytes(&packed, format);
        packed.truncate(packed.len() * 2 / 3);
        import_bytes(&packed, format);
    }

    #[test]
    fn detection_never_panics(bytes in any::<Vec<u8>>()) {
        detect::detect(&bytes, None);
    }
}
