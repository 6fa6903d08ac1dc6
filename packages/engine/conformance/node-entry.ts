import { loadKernel } from '../src/node.ts';
import { runSuite } from './suite.ts';

process.stdout.write(JSON.stringify(runSuite(loadKernel(), `Node ${process.versions.node}`)));
