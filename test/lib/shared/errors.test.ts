import { readFile } from 'node:fs/promises'
import t from 'tap'
import { errorCodes, opaqueTokens, optionsFromEnv } from '../../../lib/index.ts'
import { host } from '../../helpers.ts'

const page = await readFile(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
const documented = [...page.matchAll(/^\| `(FST_\w+)`/gm)].map(([, code]) => code)

t.test('every error class is exported by its code', async t => {
  for (const [code, ErrorClass] of Object.entries(errorCodes)) {
    const error = new (ErrorClass as new () => Error & { code: string })()
    t.equal(error.code, code)
    t.match(error, { name: 'FastifyError', code })
  }
})

t.test('docs/errors.md lists exactly the exported codes', async t => {
  t.strictSame(documented.sort(), Object.keys(errorCodes).sort())
})

t.test('thrown errors are instances of the exported classes', async t => {
  t.throws(() => opaqueTokens({ lifetime: 0 }), errorCodes.FST_SCREEN_AUTH_INVALID_OPTION)
  try {
    optionsFromEnv({ SVC_AUTH: 'no' })
  } catch (error) {
    t.ok(error instanceof errorCodes.FST_SCREEN_AUTH_INVALID_ENVIRONMENT)
  }
  const app = await host(t)
  const error = await app.screenAuth.reauthenticate({ screenUser: null } as never, 'x').catch(error => error)
  t.ok(error instanceof errorCodes.FST_SCREEN_AUTH_NO_USER)
})
