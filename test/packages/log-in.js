// Logs in at a URL with a username and a password, and prints the states of the session.
import process from 'node:process'
import { Session } from 'screen-auth-client'

const [url = '', username = '', password = ''] = process.argv.slice(2)
const session = new Session({ baseUrl: url })
session.subscribe(({ name, displayName }) => console.log(name + (name === 'screen' ? `: ${displayName}` : '')))
await session.start()
await session.submit({ username, password })
