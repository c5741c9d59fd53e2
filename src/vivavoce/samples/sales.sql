-- What the outdoor shops of Hollin & Wake sold in two years, as a small star: an invented company, and invented numbers.
-- Prices and costs are in cents. The number of units is reckoned, so that it is the same wherever this is read.

CREATE TABLE shops (
  id INTEGER PRIMARY KEY, shop TEXT NOT NULL, region TEXT NOT NULL, country TEXT NOT NULL, opened TEXT NOT NULL
);
INSERT INTO shops VALUES
  (1, 'Westport', 'Connacht', 'Ireland', '2024-01'), (2, 'Kenmare', 'Munster', 'Ireland', '2024-01'),
  (3, 'Dingle', 'Munster', 'Ireland', '2024-06'),
  (4, 'Voss', 'Vestland', 'Norway', '2024-01'), (5, 'Odda', 'Vestland', 'Norway', '2024-01'),
  (6, 'Svolvær', 'Nordland', 'Norway', '2024-01'),
  (7, 'Ullapool', 'Highland', 'Scotland', '2024-01'), (8, 'Peebles', 'Borders', 'Scotland', '2024-01'),
  (9, 'Vík', 'Southland', 'Iceland', '2025-03');

CREATE TABLE goods (
  id INTEGER PRIMARY KEY, product TEXT NOT NULL, family TEXT NOT NULL, cents INTEGER NOT NULL, cost INTEGER NOT NULL
);
INSERT INTO goods VALUES
  (1, 'Firefly lantern', 'Lanterns', 4900, 2130), (2, 'Firefly Mini lantern', 'Lanterns', 2900, 1275),
  (3, 'Moss blanket', 'Textiles', 7900, 4410), (4, 'Drift hammock', 'Textiles', 6400, 3890),
  (5, 'Ember flask', 'Drinkware', 2450, 980), (6, 'Tarn mug', 'Drinkware', 1200, 395),
  (7, 'Heron rucksack', 'Carrying', 9500, 5760), (8, 'Larch walking stick', 'Carrying', 3800, 1940);

CREATE TABLE channels (id INTEGER PRIMARY KEY, channel TEXT NOT NULL);
INSERT INTO channels VALUES (1, 'Counter'), (2, 'Post');

CREATE TABLE months (
  id INTEGER PRIMARY KEY, year TEXT NOT NULL, quarter TEXT NOT NULL, month TEXT NOT NULL, busy INTEGER NOT NULL
);
INSERT INTO months
  WITH RECURSIVE count(id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM count WHERE id < 23)
  SELECT
    id, 2024 + id / 12, (2024 + id / 12) || ' Q' || (id % 12 / 3 + 1), (2024 + id / 12) || printf('-%02d', id % 12 + 1),
    CASE id % 12 WHEN 5 THEN 3 WHEN 6 THEN 4 WHEN 7 THEN 4 WHEN 10 THEN 3 WHEN 11 THEN 6 ELSE 1 END
  FROM count;

CREATE TABLE sales (
  month INTEGER NOT NULL, shop INTEGER NOT NULL, product INTEGER NOT NULL, channel INTEGER NOT NULL, units INTEGER NOT NULL
);
INSERT INTO sales
  SELECT
    months.id, shops.id, goods.id, channels.id,
    (goods.id * 7 + shops.id * 13 + months.id * 5 + channels.id * 3) * 31 % 17 * busy / (channels.id + goods.cents / 3000)
      + months.id / 6 + (shops.id * goods.id) % 4
  FROM months, shops, goods, channels
  WHERE months.month >= shops.opened;
DELETE FROM sales WHERE units = 0;

CREATE VIEW sheet AS
  SELECT
    year, quarter, months.month AS month, country, region, shops.shop AS shop, family, goods.product AS product,
    channels.channel AS channel, units, units * goods.cents AS cents, units * goods.cost AS cost
  FROM sales
  JOIN months ON months.id = sales.month
  JOIN shops ON shops.id = sales.shop
  JOIN goods ON goods.id = sales.product
  JOIN channels ON channels.id = sales.channel;
