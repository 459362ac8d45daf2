import type { InArgs, Row } from '@libsql/client'
import type { Database } from '../database.ts'
import { canonical, type RecordList, type Values } from './list.ts'

/** A record in the database. */
export interface StoredRecord {
  id: number
  /** Increases with each change, to detect changes to an outdated version. */
  version: number
  values: Values
  /** Username of the person who made the last change; empty in the no-auth mode. */
  updatedBy: string
  /** Time of the last change, ISO 8601 in UTC. */
  updatedAt: string
}

/** Result of a change. */
export interface Outcome {
  /** Current record; null if it was deleted. */
  record: StoredRecord | null
  /** Whether the change was not saved because of an earlier one. */
  isConflict: boolean
}

/** Sorts in JavaScript, because SQLite sorts É after Z. */
const { compare } = new Intl.Collator('en', { numeric: true })

/** The records of one list. Stores the values as JSON, so that a new field needs no change to the table. */
export class RecordStore {
  readonly list: RecordList
  readonly #database: Database

  private constructor(database: Database, list: RecordList) {
    this.#database = database
    this.list = list
  }

  static async open(database: Database, list: RecordList): Promise<RecordStore> {
    await database.execute(`CREATE TABLE IF NOT EXISTS "${list.name}" (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      key TEXT NOT NULL UNIQUE,
      version INTEGER NOT NULL DEFAULT 1,
      fields TEXT NOT NULL,
      updated_by TEXT NOT NULL,
      updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ'))
    ) STRICT`)
    return new RecordStore(database, list)
  }

  /** Returns all records, sorted by their first field. */
  async all(): Promise<StoredRecord[]> {
    const { rows } = await this.#database.execute(`SELECT * FROM "${this.list.name}" ORDER BY id`)
    const nameOf = ({ values }: StoredRecord) => Object.values(values)[0] ?? ''
    return rows.map(row => this.#read(row)).sort((one, other) => compare(nameOf(one), nameOf(other)))
  }

  find(id: number): Promise<StoredRecord | null> {
    return this.#one(`SELECT * FROM "${this.list.name}" WHERE id = ?`, [id])
  }

  /** Returns the record that was created with the key. */
  findByKey(key: string): Promise<StoredRecord | null> {
    return this.#one(`SELECT * FROM "${this.list.name}" WHERE key = ?`, [key])
  }

  /** Creates a record. A repeated request with the same key, after a lost response, creates no second record. */
  async create(key: string, values: Partial<Values>, by: string): Promise<Outcome> {
    // A single statement, so that two concurrent requests with the same key create only one record.
    const sql = `INSERT INTO "${this.list.name}" (key, fields, updated_by) VALUES (:key, :fields, :by)
      ON CONFLICT (key) DO NOTHING
      RETURNING *`
    const created = await this.#one(sql, { key, fields: JSON.stringify(canonical(this.list, values)), by })
    if (created !== null) return { record: created, isConflict: false }
    return outcomeOf(await this.findByKey(key), values)
  }

  /** Changes some values of a record, if the version is current. */
  async save(id: number, version: number, changes: Values, by: string): Promise<Outcome> {
    const sql = `UPDATE "${this.list.name}"
      SET fields = json_patch(fields, :changes), version = version + 1, updated_by = :by,
        updated_at = strftime('%Y-%m-%dT%H:%M:%SZ')
      WHERE id = :id AND version = :version AND fields <> json_patch(fields, :changes)
      RETURNING *`
    const saved = await this.#one(sql, { id, version, changes: JSON.stringify(changes), by })
    if (saved !== null) return { record: saved, isConflict: false }
    return outcomeOf(await this.find(id), changes)
  }

  /** Deletes a record if the version is current. Returns the record if it was not deleted, or null. */
  async delete(id: number, version: number): Promise<StoredRecord | null> {
    await this.#database.execute(`DELETE FROM "${this.list.name}" WHERE id = ? AND version = ?`, [id, version])
    return this.find(id)
  }

  async #one(sql: string, args: InArgs): Promise<StoredRecord | null> {
    const { rows } = await this.#database.execute(sql, args)
    return rows[0] === undefined ? null : this.#read(rows[0])
  }

  #read(row: Row): StoredRecord {
    return {
      id: Number(row.id),
      version: Number(row.version),
      values: canonical(this.list, JSON.parse(String(row.fields))),
      updatedBy: String(row.updated_by),
      updatedAt: String(row.updated_at)
    }
  }
}

/** If the record already has the changes, there is no conflict: most likely the client has repeated a lost request. */
function outcomeOf(record: StoredRecord | null, changes: Partial<Values>): Outcome {
  const isOther = ([id, value]: [string, string | undefined]) => record?.values[id] !== value
  return { record, isConflict: record !== null && Object.entries(changes).some(isOther) }
}
