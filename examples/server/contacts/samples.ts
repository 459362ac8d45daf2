import type { Fields } from './fields.ts'

/** Fictional contacts. Their addresses and numbers are reserved for examples. */
export const SAMPLES: Partial<Fields>[] = [
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
  {
    name: 'Daniel Mwangi',
    category: 'friend',
    phone: '+1 202 555 0143',
    notes: 'Knows everybody in town.'
  },
  {
    name: 'Élodie Tran',
    company: 'Atelier Tran',
    category: 'supplier',
    website: 'https://atelier-tran.example',
    team_size: '2',
    hourly_rate: '1250.00'
  }
]
