import { randomUUID } from 'node:crypto'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const form = {
  layout: 'Card',
  title: 'Hono',
  auth_action: '/auth/login',
  sections: [
    {
      id: 'login',
      label: 'Log in',
      fields: [
        { id: 'username', label: 'User', type: 'Text', value: '' },
        { id: 'password', label: 'Password', type: 'Password', value: '' }
      ]
    }
  ]
}
const menu = name => ({ layout: 'Menu', title: 'Main menu', menu: {}, user_display_name: name })
const names = new Map()

const app = new Hono()

app.get('/auth/login', c => c.json(form))

app.post('/auth/login', async c => {
  const body = await c.req.json().catch(() => null)
  const { username, password } = Object(body?.fields)
  if (username !== 'ada' || password !== 'correct horse battery')
    return c.json({ success: false, token: null, error: 'Wrong user or password', screen: null })
  const token = randomUUID()
  names.set(token, 'Ada Lovelace')
  return c.json({ success: true, token, error: null, screen: menu('Ada Lovelace') })
})

app.use(async (c, next) => {
  const [scheme, token] = (c.req.header('authorization') ?? '').split(' ')
  if (scheme.toLowerCase() !== 'bearer' || !names.has(token)) return c.body(null, 401)
  c.set('name', names.get(token))
  await next()
})

app.get('/menu/main', c => c.json(menu(c.get('name'))))

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env.PORT) }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`)
)
