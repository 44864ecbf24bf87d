"""Facts that pages give (opening hours, prices, contacts, what to bring, dates), shown in a card above
answers."""
