// Logs in at a URL, with a username and a password, and prints the states.
import process from 'node:process'
import { Session } from 'screen-auth-client'

const [url = '', username = '', password = ''] = process.argv.slice(2)
/** @type {string | null} */
let token = null
const session = new Session({
  baseUrl: url,
  tokens: {
    read: () => token,
    write: text => {
      token = text
    },
    clear: () => {
      token = null
    }
  },
  onState: state => console.log(state.name + (state.name === 'screen' ? `: ${state.screen.displayName}` : ''))
})
await session.start()
await session.submit({ username, password })
