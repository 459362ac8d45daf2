import { randomUUID } from 'node:crypto'
import { SAMPLES } from './contacts/samples.ts'
import { ContactStore } from './contacts/store.ts'
import { Database } from './database.ts'
import { DEMO, UserStore } from './user-store.ts'

export interface Stores {
  users: UserStore
  contacts: ContactStore
  close(): void
}

/**
 * @param url any URL that libSQL supports
 * @throws SetupError when the database cannot be used
 */
export async function openStores(url: string): Promise<Stores> {
  const database = new Database(url)
  return {
    users: await UserStore.open(database),
    contacts: await ContactStore.open(database),
    close: () => database.close()
  }
}

/** Adds the demo user and some contacts if the database has no users. */
export async function addDemoData({ users, contacts }: Stores): Promise<void> {
  if (!(await users.addDemoUserIfEmpty())) return
  for (const sample of SAMPLES) await contacts.create(randomUUID(), sample, DEMO.username)
}
