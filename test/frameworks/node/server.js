import express from 'express'
import jwt from 'jsonwebtoken'

const { SECRET, PORT } = process.env
const form = {
  layout: 'Card',
  title: 'Express',
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

const app = express()

app.get('/auth/login', (_req, res) => res.json(form))

app.post('/auth/login', express.json(), (req, res) => {
  const { username, password } = Object(req.body?.fields)
  if (username !== 'demo' || password !== 'demo-password')
    return res.json({ success: false, token: null, error: 'Wrong user or password', screen: null })
  const name = 'Ada Lovelace'
  const token = jwt.sign({ sub: username, display_name: name }, SECRET, { expiresIn: '1h' })
  res.json({ success: true, token, error: null, screen: menu(name) })
})

app.use((req, res, next) => {
  const [scheme, token] = (req.get('authorization') ?? '').split(' ')
  try {
    if (scheme.toLowerCase() !== 'bearer') throw new Error('no token')
    req.user = jwt.verify(token, SECRET, { algorithms: ['HS256'] })
  } catch {
    return res.sendStatus(401)
  }
  next()
})

app.get('/menu/main', (req, res) => res.json(menu(req.user.display_name)))

const server = app.listen(PORT, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
