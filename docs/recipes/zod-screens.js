// Screens with Zod instead of JSON Schema. The plugin adds the user's name to a screen if the schema for 200 is its
// ScreenContract. The compilers of Zod cannot read ScreenContract, so a hook adds the name here. Pitfalls: `z.object`
// drops unnamed properties, such as the user's name, so a screen is a `z.looseObject`. Clients show nothing of a 400,
// so the response to a person's mistake is a screen with a status.
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { z } from 'zod'

const Screen = z.looseObject({ layout: z.enum(['Card', 'List', 'HeaderLines', 'Grid', 'Menu']), title: z.string() })

/** The body of `actions.save`: `changes` has only the changed fields, always as strings. */
const SaveChangeset = z.object({ changes: z.record(z.string(), z.string()) })

const Profile = z.object({
  email: z.email('This is no email address.').max(254, 'This address is too long.'),
  phone: z.string().regex(/^[0-9+ ]{0,30}$/, 'A phone number has digits only.')
})

// In TypeScript: Fastify({ logger: true }).withTypeProvider<ZodTypeProvider>(). The body then has its type, and a
// handler that returns no screen does not compile.
const app = Fastify({ logger: true })
// The three routes of the login do not use these compilers.
app.setValidatorCompiler(validatorCompiler)
app.setSerializerCompiler(serializerCompiler)

// Returns a copy, because the object may be shared. A public route has no user, and the body of an error no layout.
app.addHook('preSerialization', async ({ screenUser }, _reply, payload) =>
  screenUser && payload?.layout ? { user_display_name: screenUser.displayName, ...payload } : payload
)

await app.register(screenAuth, {
  checkCredentials: ({ username, password }) =>
    username === 'ada' && password === 'correct horse' ? { username, displayName: 'Ada Lovelace' } : null,
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

const profiles = new Map([['ada', { email: 'ada@example.com', phone: '' }]])

function card({ email, phone }, status) {
  const fields = [
    { id: 'email', label: 'Email', type: 'Email', value: email },
    { id: 'phone', label: 'Phone', type: 'Phone', value: phone }
  ]
  const sections = [{ id: 'profile', label: 'Profile', fields }]
  return { layout: 'Card', title: 'Profile', sections, actions: { save: '/screen/profile' }, status }
}

const response = { 200: Screen }
app.get('/screen/profile', { schema: { response } }, async request => card(profiles.get(request.screenUser.username)))

app.post('/screen/profile', { schema: { body: SaveChangeset, response } }, async request => {
  const { username } = request.screenUser
  const changed = Profile.partial().safeParse(request.body.changes)
  if (!changed.success) return card(profiles.get(username), `Error: ${changed.error.issues[0].message}`)
  profiles.set(username, { ...profiles.get(username), ...changed.data })
  return card(profiles.get(username), 'Saved.')
})

await app.listen({ port: 3000 })
