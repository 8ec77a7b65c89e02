DROP TABLE messages
