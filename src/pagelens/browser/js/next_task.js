// Resolves once the tasks that are due now have run, at no cost: timers would wait.
(lib) =>
  new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(0);
  })
