//! The database schema of an archive and its migrations.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::error::ArchiveError;

/// The `application_id` of the database: `LUDO`.
const APPLICATION_ID: i64 = 0x4C55_444F;

/// The migrations from an empty file to the present schema. The version of a file is the number of
/// migrations applied. Entries may be appended but never changed.
const MIGRATIONS: [&str; 2] = [
    include_str!("sql/0001_matches.sql"),
    include_str!("sql/0002_tournaments.sql"),
];

/// Checks that a file is an archive, and migrates it to the present schema.
pub(super) fn prepare(connection: &mut Connection, path: &Path) -> Result<(), ArchiveError> {
    migrate(connection, path, &MIGRATIONS)
}

/// Checks that a read-only file is an archive with the present schema.
pub(super) fn check(connection: &Connection, path: &Path) -> Result<(), ArchiveError> {
    let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    let path = path.to_owned();
    match read(connection, &path)? {
        version if version == known => Ok(()),
        found if found > known => Err(ArchiveError::Later { path, found, known }),
        _ => Err(ArchiveError::Older { path }),
    }
}

fn migrate(
    connection: &mut Connection,
    path: &Path,
    migrations: &[&str],
) -> Result<(), ArchiveError> {
    let failed = |error| ArchiveError::database(path, error);
    let known = i64::try_from(migrations.len()).unwrap_or(i64::MAX);
    if read(connection, path)? == known {
        return Ok(());
    }
    // Another process may migrate at the same time, so the version is read again in the
    // transaction.
    let behavior = TransactionBehavior::Immediate;
    let transaction = connection
        .transaction_with_behavior(behavior)
        .map_err(failed)?;
    let version = read(&transaction, path)?;
    let missing = usize::try_from(version)
        .ok()
        .and_then(|version| migrations.get(version..));
    let Some(missing) = missing else {
        return Err(ArchiveError::Later {
            path: path.to_owned(),
            found: version,
            known,
        });
    };
    for migration in missing {
        transaction.execute_batch(migration).map_err(failed)?;
    }
    let set = |name: &str, value: i64| transaction.pragma_update(None, name, value);
    set("application_id", APPLICATION_ID).map_err(failed)?;
    set("user_version", known).map_err(failed)?;
    transaction.commit().map_err(failed)
}

/// The schema version of a file; 0 for an empty one.
fn read(connection: &Connection, path: &Path) -> Result<i64, ArchiveError> {
    let failed = |error| ArchiveError::database(path, error);
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let application = number("application_id").map_err(failed)?;
    let version = number("user_version").map_err(failed)?;
    if application == APPLICATION_ID {
        return Ok(version);
    }
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(failed)?;
    if tables == 0 && application == 0 && version == 0 {
        return Ok(0);
    }
    Err(ArchiveError::Foreign {
        path: path.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(connection: &Connection) -> i64 {
        read(connection, Path::new("x")).unwrap()
    }

    #[test]
    fn an_old_file_is_migrated_and_keeps_its_content() {
        let mut connection = Connection::open_in_memory().unwrap();
        let path = Path::new("x");
        migrate(&mut connection, path, &MIGRATIONS[..1]).unwrap();
        assert_eq!(version(&connection), 1);
        let insert = "INSERT INTO sheets VALUES (1, '(role x)');
            INSERT INTO matches (id, game, sheet, start_clock_ms, play_clock_ms, seed, began_at_ms, initial)
            VALUES ('m', 'nim', 1, 1, 1, 1, 1, '[]')";
        connection.execute_batch(insert).unwrap();
        prepare(&mut connection, path).unwrap();
        assert_eq!(version(&connection), 2);
        let old: (String, Option<i64>) = connection
            .query_row("SELECT id, tournament FROM matches", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .unwrap();
        assert_eq!(old, ("m".to_owned(), None));
        // The second call changes nothing.
        prepare(&mut connection, path).unwrap();
    }

    #[test]
    fn a_failed_migration_changes_nothing() {
        let mut connection = Connection::open_in_memory().unwrap();
        let path = Path::new("x");
        let broken = [MIGRATIONS[0], "CREATE TABLE more (x) STRICT"];
        assert!(migrate(&mut connection, path, &broken).is_err());
        assert_eq!(version(&connection), 0);
        prepare(&mut connection, path).unwrap();
    }

    #[test]
    fn foreign_files_and_later_versions_are_rejected() {
        let mut other = Connection::open_in_memory().unwrap();
        other.execute_batch("CREATE TABLE songs (title)").unwrap();
        let error = prepare(&mut other, Path::new("songs.db")).unwrap_err();
        assert!(error.to_string().contains("not an archive"), "{error}");
        let mut later = Connection::open_in_memory().unwrap();
        prepare(&mut later, Path::new("x")).unwrap();
        later.pragma_update(None, "user_version", 99).unwrap();
        let error = prepare(&mut later, Path::new("x")).unwrap_err();
        assert!(error.to_string().contains("later version"), "{error}");
    }
}
