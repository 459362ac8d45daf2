import type { InArgs, Row } from '@libsql/client'
import type { Database } from '../database.ts'
import { BLANK, type Fields } from './fields.ts'

/** A contact in the database. */
export interface Contact {
  id: number
  /** Increases with each change, to detect changes to an outdated version. */
  version: number
  fields: Fields
  /** Username of the person who made the last change; empty in the no-auth mode. */
  updatedBy: string
  /** Time of the last change, ISO 8601 in UTC. */
  updatedAt: string
}

/** Result of a change. */
export interface Outcome {
  /** Current contact; null if it was deleted. */
  contact: Contact | null
  /** Whether the change was not saved because of an earlier one. */
  isConflict: boolean
}

/** Sorts in JavaScript, because SQLite sorts É after Z. */
const { compare } = new Intl.Collator('en')

const TABLE = `CREATE TABLE IF NOT EXISTS contacts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL DEFAULT 1,
  fields TEXT NOT NULL,
  updated_by TEXT NOT NULL,
  updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ'))
) STRICT`

// A single statement, so that two concurrent requests with the same key create only one contact.
const CREATE = `INSERT INTO contacts (key, fields, updated_by) VALUES (:key, :fields, :by)
  ON CONFLICT (key) DO NOTHING
  RETURNING *`

const SAVE = `UPDATE contacts
  SET fields = json_patch(fields, :changes), version = version + 1, updated_by = :by,
    updated_at = strftime('%Y-%m-%dT%H:%M:%SZ')
  WHERE id = :id AND version = :version AND fields <> json_patch(fields, :changes)
  RETURNING *`

/** Contacts. Stores the fields as JSON, so that a new field needs no change to the table. */
export class ContactStore {
  readonly #database: Database

  private constructor(database: Database) {
    this.#database = database
  }

  static async open(database: Database): Promise<ContactStore> {
    await database.execute(TABLE)
    return new ContactStore(database)
  }

  /** Returns all contacts, sorted by name. */
  async list(): Promise<Contact[]> {
    const { rows } = await this.#database.execute('SELECT * FROM contacts ORDER BY id')
    return rows.map(toContact).sort((one, other) => compare(one.fields.name, other.fields.name))
  }

  find(id: number): Promise<Contact | null> {
    return this.#one('SELECT * FROM contacts WHERE id = ?', [id])
  }

  /** Returns the contact that was created with the key. */
  findByKey(key: string): Promise<Contact | null> {
    return this.#one('SELECT * FROM contacts WHERE key = ?', [key])
  }

  /** Creates a contact. A repeated request with the same key, after a lost response, creates no second contact. */
  async create(key: string, fields: Partial<Fields>, by: string): Promise<Outcome> {
    const created = await this.#one(CREATE, { key, fields: JSON.stringify({ ...BLANK, ...fields }), by })
    if (created !== null) return { contact: created, isConflict: false }
    return outcomeOf(await this.findByKey(key), fields)
  }

  /** Changes some fields of a contact, if the version is current. */
  async save(id: number, version: number, changes: Partial<Fields>, by: string): Promise<Outcome> {
    const saved = await this.#one(SAVE, { id, version, changes: JSON.stringify(changes), by })
    if (saved !== null) return { contact: saved, isConflict: false }
    return outcomeOf(await this.find(id), changes)
  }

  /** Deletes a contact if the version is current. Returns the contact if it was not deleted, or null. */
  async delete(id: number, version: number): Promise<Contact | null> {
    await this.#database.execute('DELETE FROM contacts WHERE id = ? AND version = ?', [id, version])
    return this.find(id)
  }

  async #one(sql: string, args: InArgs): Promise<Contact | null> {
    const { rows } = await this.#database.execute(sql, args)
    return rows[0] === undefined ? null : toContact(rows[0])
  }
}

/** If the contact already has the changes, there is no conflict: most likely the client has repeated a lost request. */
function outcomeOf(contact: Contact | null, changes: Partial<Fields>): Outcome {
  const isOther = ([id, value]: [string, string]) => contact?.fields[id as keyof Fields] !== value
  return { contact, isConflict: contact !== null && Object.entries(changes).some(isOther) }
}

function toContact(row: Row): Contact {
  return {
    id: Number(row.id),
    version: Number(row.version),
    fields: { ...BLANK, ...JSON.parse(String(row.fields)) },
    updatedBy: String(row.updated_by),
    updatedAt: String(row.updated_at)
  }
}
