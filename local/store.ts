import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as v from 'valibot';

/** JSON values of one kind by name, written through to the database at once. */
export interface Collection<T> {
  get: (name: string) => T | null;
  set: (name: string, value: T) => void;
  delete: (name: string) => void;
  /** All values, by name or in the order in which they were first set. */
  all: (order?: 'name' | 'insertion') => { name: string; value: T }[];
}

/** The state of the emulated services. */
export interface LocalStore {
  collection: <T>(kind: string, schema: v.GenericSchema<unknown, T>) => Collection<T>;
  close: () => void;
}

const RowSchema = v.object({ name: v.string(), value: v.string() });

/** Opens the database in a folder; in memory if it is null. */
export function openStore(folder: string | null): LocalStore {
  if (folder !== null) mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(folder === null ? ':memory:' : join(folder, 'local.sqlite'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
  database.exec(
    'CREATE TABLE IF NOT EXISTS item (kind TEXT, name TEXT, value TEXT NOT NULL, PRIMARY KEY (kind, name)) STRICT',
  );
  const select = database.prepare('SELECT name, value FROM item WHERE kind = ? AND name = ?');
  const selectAll = {
    name: database.prepare('SELECT name, value FROM item WHERE kind = ? ORDER BY name'),
    insertion: database.prepare('SELECT name, value FROM item WHERE kind = ? ORDER BY rowid'),
  };
  const upsert = database.prepare(
    'INSERT INTO item (kind, name, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );
  const remove = database.prepare('DELETE FROM item WHERE kind = ? AND name = ?');

  function collection<T>(kind: string, schema: v.GenericSchema<unknown, T>): Collection<T> {
    const parse = (row: unknown) => {
      const { name, value } = v.parse(RowSchema, row);
      const json: unknown = JSON.parse(value);
      return { name, value: v.parse(schema, json) };
    };
    return {
      get: name => {
        const row = select.get(kind, name);
        return row === undefined ? null : parse(row).value;
      },
      set: (name, value) => void upsert.run(kind, name, JSON.stringify(value)),
      delete: name => void remove.run(kind, name),
      all: (order = 'name') => selectAll[order].all(kind).map(parse),
    };
  }
  return { collection, close: () => database.close() };
}
