import { loadGroup } from '@streaming-yao/group/node';
import { loadKernel } from '../src/node.ts';
import { runSuite } from './suite.ts';

process.stdout.write(JSON.stringify(runSuite(loadKernel(), loadGroup(), `Node ${process.versions.node}`)));
