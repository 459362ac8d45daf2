import type { InArgs, Row } from '@libsql/client'
import type { Database } from '../database.ts'
import { BLANK, type Fields } from './fields.ts'

/** A contact in the database. */
export interface Contact {
  id: number
  /** Is counted up with each change, so that one that was made of an older version is noticed. */
  version: number
  fields: Fields
  /** The username of the person who has changed it last; empty without a login. */
  updatedBy: string
  /** ISO 8601 in UTC. */
  updatedAt: string
}

/** What has become of a change. */
export interface Outcome {
  /** As it is now; null when there is none: it is gone, or there was no room for a new one. */
  contact: Contact | null
  /** Whether another change came before this one, which was not made. */
  isConflict: boolean
}

/** How many there can be: a list of more than this takes too long to read. */
const MOST_CONTACTS = 1_000

/** SQLite would put É after Z. */
const { compare } = new Intl.Collator('en')

const TABLE = `CREATE TABLE IF NOT EXISTS contacts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL DEFAULT 1,
  fields TEXT NOT NULL,
  updated_by TEXT NOT NULL,
  updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ'))
) STRICT`

// One statement, so that of two requests with the same key only one creates a contact.
const CREATE = `INSERT INTO contacts (key, fields, updated_by)
  SELECT :key, :fields, :by
  WHERE (SELECT count(*) FROM contacts) < ${MOST_CONTACTS}
  ON CONFLICT (key) DO NOTHING
  RETURNING *`

const SAVE = `UPDATE contacts
  SET fields = json_patch(fields, :changes), version = version + 1, updated_by = :by,
    updated_at = strftime('%Y-%m-%dT%H:%M:%SZ')
  WHERE id = :id AND version = :version AND fields <> json_patch(fields, :changes)
  RETURNING *`

/** Contacts. Their fields are kept as JSON, so that a new field needs no change of the table. */
export class ContactStore {
  readonly #database: Database

  private constructor(database: Database) {
    this.#database = database
  }

  /** Makes the table if it does not exist. */
  static async open(database: Database): Promise<ContactStore> {
    await database.execute(TABLE)
    return new ContactStore(database)
  }

  /** All contacts, by name. */
  async list(): Promise<Contact[]> {
    const { rows } = await this.#database.execute('SELECT * FROM contacts ORDER BY id')
    return rows.map(toContact).sort((one, other) => compare(one.fields.name, other.fields.name))
  }

  find(id: number): Promise<Contact | null> {
    return this.#one('SELECT * FROM contacts WHERE id = ?', [id])
  }

  /** Finds the contact that was created with a key. */
  findByKey(key: string): Promise<Contact | null> {
    return this.#one('SELECT * FROM contacts WHERE key = ?', [key])
  }

  /** Creates a contact. A request that is repeated with the same key, because no response came, creates no second one. */
  async create(key: string, fields: Partial<Fields>, by: string): Promise<Outcome> {
    const created = await this.#one(CREATE, { key, fields: JSON.stringify({ ...BLANK, ...fields }), by })
    if (created !== null) return { contact: created, isConflict: false }
    return compared(await this.findByKey(key), fields)
  }

  /** Changes some fields of a contact that is still the given version. */
  async save(id: number, version: number, changes: Partial<Fields>, by: string): Promise<Outcome> {
    const saved = await this.#one(SAVE, { id, version, changes: JSON.stringify(changes), by })
    if (saved !== null) return { contact: saved, isConflict: false }
    return compared(await this.find(id), changes)
  }

  /** Deletes a contact that is still the given version. Returns the contact if it is another; null when it is gone. */
  async delete(id: number, version: number): Promise<Contact | null> {
    await this.#database.execute('DELETE FROM contacts WHERE id = ? AND version = ?', [id, version])
    return this.find(id)
  }

  async #one(sql: string, args: InArgs): Promise<Contact | null> {
    const { rows } = await this.#database.execute(sql, args)
    return rows[0] === undefined ? null : toContact(rows[0])
  }
}

/** Changes that are there already are no conflict: most often they were sent again because no response came. */
function compared(contact: Contact | null, changes: Partial<Fields>): Outcome {
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
