// The kit finds no fault with a conforming server in each framework, and each mistake that people make in it.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { needs } from '../needs.ts'
import { judge, type Toolchain } from './judge.ts'
import { frameworks } from './mistakes.ts'

const MAVEN_COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy-dependencies'

const node: Toolchain = {
  folder: 'node',
  manifests: ['package.json'],
  install: [['npm', 'install', '--no-audit', '--no-fund', '--no-package-lock']],
  source: program => `${program}.js`,
  run: program => ['node', `${program}.js`]
}

const python: Toolchain = {
  folder: 'python',
  manifests: ['requirements.txt'],
  install: [
    ['python3', '-m', 'venv', 'venv'],
    ['venv/bin/python', '-m', 'pip', 'install', '--quiet', '--requirement', 'requirements.txt']
  ],
  source: program => `${program}.py`,
  run: program => ['venv/bin/python', `${program}.py`]
}

const go: Toolchain = {
  folder: 'go',
  manifests: ['go.mod', 'go.sum'],
  install: [['go', 'mod', 'download']],
  source: program => `${program}/main.go`,
  build: () => [['go', 'build', '-o', 'bin/', './...']],
  run: program => [`bin/${program}`]
}

const java: Toolchain = {
  folder: 'java',
  manifests: ['pom.xml'],
  // Maven only fetches: it would need longer to compile than the compiler.
  install: [['mvn', '--quiet', '--batch-mode', MAVEN_COPY]],
  source: program => `${program}/Server.java`,
  build: programs =>
    programs.map(program => {
      const options = ['-parameters', '-cp', 'target/dependency/*', '-d', `classes/${program}`]
      return ['javac', ...options, `${program}/Server.java`]
    }),
  run: program => {
    const classes = `classes/${program}:target/dependency/*`
    return ['java', '-XX:TieredStopAtLevel=1', '-cp', classes, 'server.Server']
  }
}

judge(t, node)
if (needs(t, 'python3')) judge(t, python)
if (needs(t, 'go')) judge(t, go)
if (needs(t, 'javac') && needs(t, 'mvn')) judge(t, java)

t.test('the page names the frameworks, and how many mistakes there are', async t => {
  const all = Object.values(frameworks)
  const { length } = all.flatMap(({ mistakes }) => mistakes)
  const names = new Intl.ListFormat('en').format(all.map(({ name }) => name))
  const page = readFileSync(new URL('../../conformance/docs/checking.md', import.meta.url), 'utf8')
  t.match(page.replaceAll(/\s+/g, ' '), `${length} of ${length} mistakes that people make with ${names}`)
})
