import { defineList } from './records/list.ts'
import { texts } from './texts.ts'

/** The list of contacts: its texts, fields and samples. To add a field, add it to a section. */
export const contacts = defineList({
  name: 'contacts',
  record: 'contact',
  texts: {
    title: 'Contacts',
    new: 'New contact',
    create: 'Create contact',
    none: 'No contacts found.',
    gone: 'This contact was deleted.'
  },
  sections: [
    {
      label: 'Contact',
      row_group: 0,
      column: 0,
      fields: {
        name: { label: 'Name', type: 'Text', validation: { required: true, max_length: 100 } },
        company: { label: 'Company', type: 'Text', validation: { max_length: 100 } },
        line: { label: '', type: 'Separator', editable: false },
        email: { label: 'Email', type: 'Email', placeholder: 'e.g. ada@example.com', validation: { max_length: 254 } },
        phone: {
          label: 'Phone',
          type: 'Phone',
          placeholder: 'e.g. +44 20 7946 0958',
          // Escapes all characters that the `pattern` attribute of browsers (the v flag) requires.
          validation: { max_length: 30, pattern: '\\+?[0-9 \\(\\)\\/\\-]{3,29}' }
        },
        website: { label: 'Website', type: 'URL', placeholder: 'e.g. www.example.com', validation: { max_length: 200 } }
      }
    },
    {
      label: 'Details',
      row_group: 1,
      column: 0,
      fields: {
        category: {
          label: 'Category',
          type: 'Option',
          options: [
            { label: 'Customer', value: 'customer' },
            { label: 'Supplier', value: 'supplier' },
            { label: 'Colleague', value: 'colleague' },
            { label: 'Friend', value: 'friend' }
          ]
        },
        favourite: { label: 'Favourite', type: 'Boolean', true_label: texts.yes, false_label: texts.no },
        birthday: { label: 'Birthday', type: 'Date', placeholder: 'DD-MM-YYYY' }
      }
    },
    {
      label: 'Work',
      row_group: 1,
      column: 1,
      fields: {
        call_at: { label: 'Call time', type: 'Time', placeholder: 'HH:MM' },
        team_size: { label: 'Team size', type: 'Integer', validation: { min: 0, max: 100_000 } },
        hourly_rate: { label: 'Hourly rate', type: 'Decimal', validation: { min: 0, max: 100_000, decimals: 2 } }
      }
    },
    {
      label: 'More',
      row_group: 2,
      column: 0,
      fields: {
        away: { label: 'Away', type: 'DateRange', placeholder: 'DD-MM-YYYY/DD-MM-YYYY' },
        notes: { label: 'Notes', type: 'TextArea', rows: 4, validation: { max_length: 2000 } }
      }
    }
  ],
  columns: { name: 24, company: 22, birthday: 11, hourly_rate: 11, favourite: 9 },
  samples: [
    {
      name: 'Amara Okafor',
      company: 'Harbour Light Studio',
      category: 'customer',
      favourite: 'true',
      email: 'amara@harbourlight.example',
      phone: '+44 20 7946 0107',
      website: 'https://harbourlight.example',
      call_at: '09:30',
      birthday: '1988-03-14',
      away: '2026-12-21/2027-01-04',
      team_size: '12',
      hourly_rate: '95.00',
      notes: 'Prefers a call to an email.\nThe studio is on the second floor.'
    },
    {
      name: 'Bruno Keller',
      company: 'Keller & Töchter',
      category: 'supplier',
      email: 'bruno@keller.example',
      phone: '+49 30 23125 014',
      call_at: '14:00',
      birthday: '1969-11-02',
      team_size: '4',
      hourly_rate: '62.50'
    },
    {
      name: 'Chiara Lindqvist',
      company: 'Northwind Maps',
      category: 'colleague',
      favourite: 'true',
      email: 'chiara@northwind.example',
      birthday: '1995-07-30'
    },
    { name: 'Daniel Mwangi', category: 'friend', phone: '+1 202 555 0143', notes: 'Knows everybody in town.' },
    {
      name: 'Élodie Tran',
      company: 'Atelier Tran',
      category: 'supplier',
      website: 'https://atelier-tran.example',
      team_size: '2',
      hourly_rate: '1250.00'
    }
  ]
})
