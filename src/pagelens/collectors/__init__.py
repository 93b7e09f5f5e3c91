"""What pages have said since they opened: requests and console messages, kept and found again by id."""
