import { randomUUID } from 'node:crypto'
import { Database } from './database.ts'
import { lists } from './lists.ts'
import { RecordStore } from './records/store.ts'
import { DEMO, UserStore } from './user-store.ts'

export interface Stores {
  users: UserStore
  records: RecordStore[]
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
    records: await Promise.all(lists.map(list => RecordStore.open(database, list))),
    close: () => database.close()
  }
}

/** Adds the demo user and the samples of each list if the database has no users. */
export async function addDemoData({ users, records }: Stores): Promise<void> {
  if (!(await users.addDemoUserIfEmpty())) return
  for (const store of records)
    for (const sample of store.list.samples) await store.create(randomUUID(), sample, DEMO.username)
}
