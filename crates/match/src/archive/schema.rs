//! The tables of an archive and how older files get them.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::error::ArchiveError;

/// What `SQLite` keeps at a fixed place of a file to say whose it is: `LUDO`.
const APPLICATION: i64 = 0x4C55_444F;

/// The steps from nothing to the tables of today. A file's version is the number of those it has
/// seen; nothing here may ever change, only be added to.
const MIGRATIONS: [&str; 2] = [
    include_str!("sql/0001_matches.sql"),
    include_str!("sql/0002_tournaments.sql"),
];

/// Makes sure that a file is an archive and has the tables of today.
pub(super) fn prepare(connection: &mut Connection, path: &Path) -> Result<(), ArchiveError> {
    migrate(connection, path, &MIGRATIONS)
}

/// Makes sure of the same where nothing can be written.
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
    // Another process may do the same at this moment, so the version is read again inside.
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
    set("application_id", APPLICATION).map_err(failed)?;
    set("user_version", known).map_err(failed)?;
    transaction.commit().map_err(failed)
}

/// The version of a file; 0 for an empty one.
fn read(connection: &Connection, path: &Path) -> Result<i64, ArchiveError> {
    let failed = |error| ArchiveError::database(path, error);
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let application = number("application_id").map_err(failed)?;
    let version = number("user_version").map_err(failed)?;
    if application == APPLICATION {
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
    fn an_old_file_gets_the_new_tables_and_keeps_what_it_has() {
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
        // Nothing happens the second time.
        prepare(&mut connection, path).unwrap();
    }

    #[test]
    fn a_migration_that_fails_leaves_the_file_as_it_was() {
        let mut connection = Connection::open_in_memory().unwrap();
        let path = Path::new("x");
        let broken = [MIGRATIONS[0], "CREATE TABLE more (x) STRICT"];
        assert!(migrate(&mut connection, path, &broken).is_err());
        assert_eq!(version(&connection), 0);
        prepare(&mut connection, path).unwrap();
    }

    #[test]
    fn files_of_others_and_of_the_future_are_refused() {
        let mut other = Connection::open_in_memory().unwrap();
        other.execute_batch("CREATE TABLE songs (title)").unwrap();
        let error = prepare(&mut other, Path::new("songs.db")).unwrap_err();
        assert!(error.to_string().contains("no archive"), "{error}");
        let mut later = Connection::open_in_memory().unwrap();
        prepare(&mut later, Path::new("x")).unwrap();
        later.pragma_update(None, "user_version", 99).unwrap();
        let error = prepare(&mut later, Path::new("x")).unwrap_err();
        assert!(error.to_string().contains("later version"), "{error}");
    }
}
