// Which texts a report must not show.
import t from 'tap'
import { Secrets } from '../report/secrets.ts'

t.test('a secret of eight characters is masked in every encoding', async t => {
  const secret = 'a"b c/é1'
  const secrets = new Secrets()
  secrets.add(secret, '<secret>')
  const encoded = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64'),
    '\\u0061\\u0022\\u0062\\u0020\\u0063\\u002f\\u00E9\\u0031'
  ]
  for (const text of encoded) t.equal(secrets.mask(`-${text}-`), '-<secret>-', text)
})

t.test('a shorter one is not, in no encoding', async t => {
  const secrets = new Secrets()
  const secret = 'é "/+&='
  secrets.add(secret, '<secret>')
  for (const text of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
    t.equal(secrets.mask(text), text)
})

t.test('of two secrets the longer one is masked', async t => {
  const secrets = new Secrets()
  secrets.add('12345678', '<half>')
  secrets.add('1234567890', '<whole>')
  t.equal(secrets.mask('1234567890 12345678'), '<whole> <half>')
})
