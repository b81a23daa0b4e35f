"""Laws that every method must obey, for methods from elsewhere too."""
