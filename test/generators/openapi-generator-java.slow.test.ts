import { delimiter } from 'node:path'
import t from 'tap'
import { needs } from '../needs.ts'
import { DOCUMENTS, logsIn, project } from './client.ts'
import { generate, MAVEN_DEPENDENCY } from './openapi-generator.ts'

const CLASSPATH = ['target/classes', 'target/dependency/*'].join(delimiter)

const mvn = needs(t, 'mvn')
for (const document of mvn ? DOCUMENTS : []) {
  t.test(`a Java client that openapi-generator makes of ${document} logs in`, async t => {
    const made = await project('openapi-generator-java', document)
    await generate(made, document, ['--generator-name', 'java', '--library', 'native', '--output', '.'])
    await made.run('mv', ['Main.java', 'src/main/java'])
    await made.run('mvn', ['--quiet', '--batch-mode', 'compile', `${MAVEN_DEPENDENCY}:copy-dependencies`])
    await logsIn(t, args => made.run('java', ['-cp', CLASSPATH, 'Main', ...args]))
  })
}
