/** workerd compiles WebAssembly when it loads the Worker, and hands over the module. */
declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}
