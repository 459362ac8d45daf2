import t from 'tap'
import { needs } from '../needs.ts'
import { judge } from './judge.ts'

if (needs(t, 'javac') && needs(t, 'mvn'))
  judge(t, {
    folder: 'java',
    manifests: ['pom.xml'],
    // Maven only fetches: it would need longer to compile than the compiler.
    install: [
      [
        'mvn',
        '--quiet',
        '--batch-mode',
        'org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy-dependencies'
      ]
    ],
    source: program => `${program}/Server.java`,
    build: programs =>
      programs.map(program => [
        'javac',
        '-parameters',
        '-cp',
        'target/dependency/*',
        '-d',
        `classes/${program}`,
        `${program}/Server.java`
      ]),
    run: program => [
      'java',
      '-XX:TieredStopAtLevel=1',
      '-cp',
      `classes/${program}:target/dependency/*`,
      'server.Server'
    ]
  })
