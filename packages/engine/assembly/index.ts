// What the host calls, one line per file.
export { hashBlocks } from './block-hash';
export { delta, key, labels, LABELS_LENGTH, modulus, share, tables, TABLES_LENGTH, weights, wipe } from './memory';
export { beginShare, finishShare, projectEvaluator, projectGarbler } from './projection';
export { begin, evaluate, finish, garble } from './stream';
