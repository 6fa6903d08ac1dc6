// What the host calls, one line per file.
export { delta, end, key, labels, modulus, share, tables, TABLES_LENGTH, weights } from './memory';
export { begin, evaluate, finish, garble, wipe } from './stream';
