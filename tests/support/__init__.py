"""What the tests share: a web site to open, reference data, protocol checks and clients."""
