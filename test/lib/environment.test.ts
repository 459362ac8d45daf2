import t from 'tap'
import { optionsFromEnv } from '../../lib/index.ts'
import { host, logIn, SECRET } from '../helpers.ts'

const DEFAULTS = { enabled: true, secret: undefined, appName: 'Demo Company' }

t.test('an empty environment has the defaults of the contract', async t => {
  for (const env of [{}, { SVC_AUTH: undefined, OTHER: 'x' }]) t.strictSame(optionsFromEnv(env), DEFAULTS)
})

t.test('SVC_AUTH is true or false in any case', async t => {
  for (const value of ['true', 'TRUE', 'True', 'false', 'FALSE', 'False', 'fAlSe'])
    t.equal(optionsFromEnv({ SVC_AUTH: value }).enabled, value.toLowerCase() === 'true', value)
})

t.test('an inherited property of the environment is ignored', async t => {
  t.equal(optionsFromEnv(Object.create({ SVC_AUTH: 'false' })).enabled, true)
})

t.test('the error for an invalid variable names the variable and the fix', async t => {
  const noSwitch = ['', 'maybe', '0', '1', 'no', 'yes', 'off', ' true', 'false ', 'true\n', 'null', true]
  const refused: [Record<string, unknown>, RegExp][] = [
    ...noSwitch.map(value => [{ SVC_AUTH: value }, /^SVC_AUTH must be true or false; set it to false/] as never),
    [{ SVC_AUTH: '"false"' }, /^SVC_AUTH must .*, without quotes$/],
    [{ SVC_AUTH_SECRET: '' }, /^SVC_AUTH_SECRET must have at least 32 bytes; make one with/],
    [{ SVC_AUTH_SECRET: 'x'.repeat(31) }, /^SVC_AUTH_SECRET must/],
    [{ SVC_AUTH_SECRET: null }, /^SVC_AUTH_SECRET must/],
    [{ SVC_AUTH_SECRET: SECRET, SVC_AUTH_SECRET_PREVIOUS: 'x' }, /^SVC_AUTH_SECRET_PREVIOUS must have at least/],
    [{ SVC_AUTH_SECRET_PREVIOUS: SECRET }, /^SVC_AUTH_SECRET_PREVIOUS needs SVC_AUTH_SECRET/],
    [{ SVC_APP_NAME: '' }, /^SVC_APP_NAME must have at least 1 character; unset it/],
    [{ SVC_APP_NAME: 5 }, /^SVC_APP_NAME must/]
  ]
  for (const [env, message] of refused)
    t.throws(() => optionsFromEnv(env as Record<string, string>), {
      code: 'FST_SCREEN_AUTH_INVALID_ENVIRONMENT',
      message
    })
})

t.test('one error names all invalid variables, and quotes no value', async t => {
  t.throws(() => optionsFromEnv({ SVC_AUTH: 'maybe', SVC_AUTH_SECRET: 'hunter2', SVC_APP_NAME: '' }), {
    message: /^SVC_AUTH must[^\n]*; SVC_AUTH_SECRET must(?!.*hunter2)[^\n]*; SVC_APP_NAME must[^\n]*$/
  })
})

t.test('the length of a secret counts in bytes of UTF-8', async t => {
  t.equal(optionsFromEnv({ SVC_AUTH_SECRET: 'é'.repeat(16) }).secret, 'é'.repeat(16))
})

t.test('SVC_AUTH_SECRET_PREVIOUS adds the previous secret after the new one', async t => {
  const previous = 'previous-secret-of-32-or-more-bytes'
  const { secret } = optionsFromEnv({ SVC_AUTH_SECRET: SECRET, SVC_AUTH_SECRET_PREVIOUS: previous })
  t.strictSame(secret, [SECRET, previous])
})

t.test('an empty SVC_AUTH_SECRET_PREVIOUS is ignored', async t => {
  t.equal(optionsFromEnv({ SVC_AUTH_SECRET: SECRET, SVC_AUTH_SECRET_PREVIOUS: '' }).secret, SECRET)
  t.equal(optionsFromEnv({ SVC_AUTH_SECRET_PREVIOUS: '' }).secret, undefined)
})

t.test('the prefix of the variables can be changed', async t => {
  const env = { MY_AUTH: 'false', MY_APP_NAME: 'Mine', MY_AUTH_SECRET: SECRET, SVC_AUTH: 'maybe' }
  t.strictSame(optionsFromEnv(env, { prefix: 'MY_' }), { enabled: false, secret: SECRET, appName: 'Mine' })
  t.throws(() => optionsFromEnv({ MY_AUTH: 'maybe' }, { prefix: 'MY_' }), { message: /^MY_AUTH must/ })
})

t.test('optionsFromEnv reads process.env by default, and does not change it', async t => {
  t.intercept(process, 'env', { value: { SVC_APP_NAME: 'From the process' } })
  t.equal(optionsFromEnv().appName, 'From the process')
  t.strictSame(process.env, { SVC_APP_NAME: 'From the process' })
  t.strictSame(optionsFromEnv({}), DEFAULTS)
})

t.test('the result of optionsFromEnv can be spread into the options', async t => {
  const app = await host(t, optionsFromEnv({ SVC_APP_NAME: 'Probe & Søns <A/S>' }))
  t.equal((await app.inject('/auth/login')).json().title, 'Probe & Søns <A/S>')
  t.equal((await logIn(app)).json().success, true)
  const open = await host(t, optionsFromEnv({ SVC_AUTH: 'False' }))
  t.equal((await open.inject('/menu/main')).statusCode, 200)
})
