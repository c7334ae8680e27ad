//! The installation itself.

use palaestra_environments::appworld::RECIPE;
use palaestra_environments::launch::Installer;

/// Asks the user's own package index, so only on request: `PALAESTRA_TEST_INSTALL=1`.
#[tokio::test]
async fn appworld_can_be_installed() {
    if std::env::var_os("PALAESTRA_TEST_INSTALL").is_none() {
        println!("skipped: PALAESTRA_TEST_INSTALL=1 installs appworld where the other tests look for it");
        return;
    }
    let installed = Installer::from_environment().unwrap().install(&RECIPE).await.unwrap();
    println!("installed in {}", installed.folder().display());
    assert!(installed.folder().join("world/data/version.txt").is_file());
}
