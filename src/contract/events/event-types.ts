import { Type } from 'typebox'
import { openEnum } from '../open-enum.ts'
import { publicEvents } from './vocabulary.ts'

/** A type of events: one of {@link publicEvents}. For other people's programs any text, since types are added. */
export const EventType = Type.Enum([...publicEvents], { documentedAs: openEnum('EventType', publicEvents) })
