import type { CardScreen, CardSection, ListColumn, ListScreen } from 'fastify-screen-auth/screens'
import { isNumber } from 'screen-auth-client'
import { card, listOf, readOnly, readOnlyDay, refusal, toScreen, withStrings } from '../screens/layouts.ts'
import { texts } from '../texts.ts'
import { canonical, type DefinedField, fieldsIn, fieldsOf, type RecordList, type Values } from './list.ts'
import type { StoredRecord } from './store.ts'

/** The paths of a list, and of its records. Clients also post a new record to the path of the Card for it. */
export function pathsOf({ name, record }: RecordList) {
  return {
    list: `/screen/${name}`,
    new: `/screen/${name}/new`,
    card: `/screen/${record}`,
    save: `/screen/${record}/save`,
    delete: `/screen/${record}/delete`
  }
}

const ID = { id: 'id', label: texts.record.id, type: 'Integer' } as const

/** The list of all records that contain the text, with an action to create a record. */
export function listScreen(list: RecordList, records: StoredRecord[], query = ''): ListScreen {
  const paths = pathsOf(list)
  const shown = Object.keys(list.columns).flatMap(id => fieldsOf(list).filter(field => field.id === id))
  const rows = records.map(({ id, values }) => [...shown.map(field => cellOf(field, values)), String(id)])
  const { lines, ...screen } = listOf(rows, query, list.texts)
  return {
    ...screen,
    ...withStrings({ new: list.texts.new }),
    screen_id: list.name,
    actions: { create: paths.new },
    lines: {
      columns: shown.map(field => columnOf(field, list.columns[field.id])).concat(columnOf(ID, 5)),
      ...lines,
      on_select: `${paths.card}?id={${shown.length}}`
    }
  }
}

function columnOf({ id, label, type }: DefinedField, width = 0): ListColumn {
  if (isNumber(type)) return { id, label, type, align: 'right', width }
  // Known clients show a value unchanged, so the cells of these two types have a readable text.
  return { id, label, type: type === 'Boolean' || type === 'Option' ? 'Text' : type, width }
}

function cellOf({ id, type, options }: DefinedField, values: Values): string {
  const value = values[id] ?? ''
  if (type === 'Boolean') return value === 'true' ? '✓' : ''
  return options?.find(option => option.value === value)?.label ?? toScreen(type, value)
}

export function recordCard(list: RecordList, record: StoredRecord): CardScreen {
  const paths = pathsOf(list)
  const { id, version, values, updatedBy, updatedAt } = record
  const { section, changedOn, changedBy } = texts.record
  const [name = ''] = Object.values(values)
  return {
    ...card(name, list.record, paths.list),
    ...withStrings({ new: list.texts.new }),
    record_id: String(id),
    // The URLs contain the version, so that a client cannot overwrite or delete newer changes of another person.
    actions: {
      save: `${paths.save}?id=${id}&version=${version}`,
      create: paths.new,
      delete: `${paths.delete}?id=${id}&version=${version}`
    },
    sections: [
      ...sectionsOf(list, values),
      {
        id: 'record',
        label: section,
        // Below all others.
        row_group: list.sections.length,
        column: 0,
        fields: [
          readOnly(ID.id, ID.label, String(id), ID.type),
          readOnlyDay('updated_at', changedOn, updatedAt),
          readOnly('updated_by', changedBy, updatedBy)
        ]
      }
    ]
  }
}

/** Card for a new record. Each form has its own key, so that a second click creates no second record. */
export function newCard(list: RecordList, key: string): CardScreen {
  const paths = pathsOf(list)
  const blank = canonical(list, {})
  const [create, creating] = [list.texts.create, texts.record.creating]
  const url = `${paths.new}?key=${key}`
  return {
    ...card(list.texts.new, list.record, paths.list),
    ...withStrings({ create, creating, save: create, saving: creating }),
    // Clients that opened this Card from a menu create the record with `save`.
    actions: { create: url, save: url },
    sections: sectionsOf(list, blank, Object.keys(blank)[0])
  }
}

/** Response to a rejected change: the current record if it still exists, and the reason. */
export function refusedCard(list: RecordList, record: StoredRecord | null, text: string): CardScreen {
  const empty = { ...card(list.texts.title, list.record, pathsOf(list).list), sections: [] }
  return { ...(record === null ? empty : recordCard(list, record)), status: refusal(text) }
}

/** @param focus the id of the field that has the focus initially */
function sectionsOf(list: RecordList, values: Values, focus?: string): CardSection[] {
  return list.sections.map((section, index) => ({
    id: `section-${index}`,
    ...section,
    fields: fieldsIn(section).map(field => ({
      ...field,
      value: toScreen(field.type, values[field.id] ?? ''),
      ...(field.id === focus && { focus: true })
    }))
  }))
}
