//! The shipped content as files, for the tests that read it.

use std::fs;
use std::path::{Path, PathBuf};

use fenceline_content::authoring;
use fenceline_content::points::Syllabus;
use fenceline_content::report::{Known, Mistake, Report};

pub(crate) const ASSETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets");

pub(crate) fn files_in(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(Path::new(ASSETS).join(folder)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().unwrap().to_str().unwrap().to_owned()
}

pub(crate) fn lines(mistakes: &[Mistake]) -> String {
    mistakes.iter().map(|mistake| format!("{mistake}\n")).collect()
}

pub(crate) fn syllabus() -> Syllabus {
    let text = fs::read_to_string(Path::new(ASSETS).join("points.toml")).unwrap();
    authoring::read(&text, &mut Report::new("points.toml"))
}

pub(crate) fn known() -> Known {
    Known {
        points: Some(syllabus().points.into_iter().map(|point| point.id).collect()),
        scenarios: Some(files_in("scenarios").iter().map(|path| stem(path)).collect()),
        ..Known::default()
    }
}
