import { contacts } from './contacts.ts'
import type { RecordList } from './records/list.ts'

/** The lists of the server. To add a list, define it in a file as in contacts.ts, and add it here. */
export const lists: readonly RecordList[] = [contacts]
