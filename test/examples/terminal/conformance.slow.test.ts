// The terminal client is watched by the kit with which anybody can check theirs.
import t from 'tap'
import { type Scenario, watchClient } from '../../../conformance/index.ts'
import { needs } from '../../needs.ts'
import { Terminal } from './tmux.ts'

const ENTERED = { username: 'grace', password: ' cobol 60 ' }

const openFirst = async (terminal: Terminal) => {
  await terminal.until(/● Open the first screen/)
  await terminal.press('Enter')
}

const logIn = async (terminal: Terminal) => {
  await terminal.until(/◆ {2}Benutzername/)
  await terminal.enter(ENTERED.username)
  await terminal.until(/◆ {2}Kennwort/)
  await terminal.enter(ENTERED.password)
}

/** What a person does in each scenario. */
const DEEDS: Partial<Record<Scenario, (terminal: Terminal) => Promise<unknown>>> = {
  'reject-then-login': async terminal => {
    await logIn(terminal)
    await terminal.until(/Unbekannter Benutzer/)
    await terminal.enter()
    await terminal.until(/◆ {2}Kennwort/)
    await terminal.enter(ENTERED.password)
    await openFirst(terminal)
    await terminal.until(/screen\/first/)
  },
  'login-then-expire': async terminal => {
    await logIn(terminal)
    await openFirst(terminal)
    await terminal.until(/Your session has ended/)
    await logIn(terminal)
    await terminal.choose('Open the second screen')
    await terminal.until(/screen\/second/)
  },
  'start-again': async terminal => {
    await logIn(terminal)
    await openFirst(terminal)
    await terminal.until(/screen\/first/)
  },
  'no-auth': async terminal => {
    await openFirst(terminal)
    await terminal.until(/screen\/first/)
  }
}

if (needs(t, 'tmux')) {
  t.jobs = 3

  for (const [scenario, use] of Object.entries(DEEDS)) {
    t.test(`the terminal client conforms: ${scenario}`, async t => {
      const { url, report, next } = await watchClient({
        expect: [scenario as Scenario],
        settle: Number.POSITIVE_INFINITY,
        timeout: 120,
        ...ENTERED
      })
      const terminal = await Terminal.start(t, url)
      await use(terminal)
      t.notMatch(await terminal.until(/./), new RegExp(ENTERED.password.trim()), 'no password is seen')
      next()
      const { conforms, results } = await report
      const faults = results.filter(({ status }) => status !== 'ok')
      t.strictSame([faults, conforms], [[], true])
    })
  }
}
