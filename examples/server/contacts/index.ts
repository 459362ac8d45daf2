import type { FastifyInstance } from 'fastify'
import { createRoutes } from './create.ts'
import { editRoutes } from './edit.ts'
import { listRoutes } from './list.ts'
import type { ContactStore } from './store.ts'

/** Contacts that people list, create, edit and delete. */
export async function contactScreens(
  app: FastifyInstance,
  { contacts }: { contacts: ContactStore }
): Promise<void> {
  listRoutes(app, contacts)
  createRoutes(app, contacts)
  editRoutes(app, contacts)
}
