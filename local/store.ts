import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as v from 'valibot';

/** JSON values by name, durable at once where the stack keeps its data. */
export interface Shelf<T> {
  get: (name: string) => T | null;
  set: (name: string, value: T) => void;
  delete: (name: string) => void;
  all: () => { name: string; value: T }[];
}

export interface LocalStore {
  shelf: <T>(kind: string, schema: v.GenericSchema<unknown, T>) => Shelf<T>;
  close: () => void;
}

const RowSchema = v.object({ name: v.string(), value: v.string() });

/** What the emulated services keep. Without a folder it lives in memory. */
export function openStore(folder: string | null): LocalStore {
  if (folder !== null) mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(folder === null ? ':memory:' : join(folder, 'local.sqlite'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
  database.exec(
    'CREATE TABLE IF NOT EXISTS shelf (kind TEXT, name TEXT, value TEXT NOT NULL, PRIMARY KEY (kind, name)) STRICT',
  );
  const select = database.prepare('SELECT name, value FROM shelf WHERE kind = ? AND name = ?');
  const selectAll = database.prepare('SELECT name, value FROM shelf WHERE kind = ? ORDER BY name');
  const upsert = database.prepare('INSERT OR REPLACE INTO shelf (kind, name, value) VALUES (?, ?, ?)');
  const remove = database.prepare('DELETE FROM shelf WHERE kind = ? AND name = ?');

  function shelf<T>(kind: string, schema: v.GenericSchema<unknown, T>): Shelf<T> {
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
      all: () => selectAll.all(kind).map(parse),
    };
  }
  return { shelf, close: () => database.close() };
}
