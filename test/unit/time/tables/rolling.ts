/** A length that ends now. */
export const rolling = `
@ 2025-06-18T16:25:40+02:00[Europe/Berlin]
last 15 min                              => 2025-06-18 16:10:40 .. now
last 1 day                               => 2025-06-17 16:25:40 .. now
Past 20 Minutes                          => 2025-06-18 16:05:40 .. now
past_1_hour                              => 2025-06-18 15:25:40 .. now
90m                                      => 2025-06-18 14:55:40 .. now
2d                                       => 2025-06-16 16:25:40 .. now
1w                                       => 2025-06-11 16:25:40 .. now
1mo                                      => 2025-05-18 16:25:40 .. now
1 month                                  => 2025-05-18 16:25:40 .. now
1y                                       => 2024-06-18 16:25:40 .. now
half year                                => 2024-12-18 16:25:40 .. now
1h 30m                                   => 2025-06-18 14:55:40 .. now
2 hours 30 minutes                       => 2025-06-18 13:55:40 .. now
2 hours, 15 minutes                      => 2025-06-18 14:10:40 .. now
1 hour and 30 minutes                    => 2025-06-18 14:55:40 .. now
1d 4h 30m                                => 2025-06-17 11:55:40 .. now
1 week and 2 days                        => 2025-06-09 16:25:40 .. now
-8h                                      => 2025-06-18 08:25:40 .. now
-2hrs 30min                              => 2025-06-18 13:55:40 .. now
last twenty four hours                   => 2025-06-17 16:25:40 .. now
last twenty-four hours                   => 2025-06-17 16:25:40 .. now
last forty-five minutes                  => 2025-06-18 15:40:40 .. now
last seven days                          => 2025-06-11 16:25:40 .. now
last half hour                           => 2025-06-18 15:55:40 .. now
past half an hour                        => 2025-06-18 15:55:40 .. now
last hour and a half                     => 2025-06-18 14:55:40 .. now
last one and a half hours                => 2025-06-18 14:55:40 .. now
last 2 and a half days                   => 2025-06-16 04:25:40 .. now
last couple of hours                     => 2025-06-18 14:25:40 .. now
a couple of weeks                        => 2025-06-04 16:25:40 .. now
over the last 3 days                     => 2025-06-15 16:25:40 .. now
within the last hour                     => 2025-06-18 15:25:40 .. now
for the last 2 hours                     => 2025-06-18 14:25:40 .. now
during the past 20 minutes               => 2025-06-18 16:05:40 .. now
in the last 12 months                    => 2024-06-18 16:25:40 .. now
the previous 7 days                      => 2025-06-11 16:25:40 .. now
trailing 30 days                         => 2025-05-19 16:25:40 .. now
most recent 3 hours                      => 2025-06-18 13:25:40 .. now
last 2 quarters                          => 2024-12-18 16:25:40 .. now
last 3 years                             => 2022-06-18 16:25:40 .. now
last 2 fortnights                        => 2025-05-21 16:25:40 .. now
last 24-hours                            => 2025-06-17 16:25:40 .. now
last24h                                  => 2025-06-17 16:25:40 .. now
LAST 36H                                 => 2025-06-17 04:25:40 .. now
last  24   h                             => 2025-06-17 16:25:40 .. now
“last 24h”                               => 2025-06-17 16:25:40 .. now
last 24 hours.                           => 2025-06-17 16:25:40 .. now
P1DT12H                                  => 2025-06-17 04:25:40 .. now
P2W                                      => 2025-06-04 16:25:40 .. now
@ 2025-03-31T09:30:00-07:00[America/Los_Angeles]
last 1 month                             => 2025-02-28 09:30 .. now
last 3 months                            => 2024-12-31 09:30 .. now
last 45 seconds                          => 2025-03-31 09:29:15 .. now
@ 2024-02-29T12:00:00+05:45[Asia/Kathmandu]
last 1 year                              => 2023-02-28 12:00 .. now
last 4 years                             => 2020-02-29 12:00 .. now
36h                                      => 2024-02-28 .. now
@ 2025-06-18T16:25:40+02:00[Europe/Berlin]
rolling 24h                              => 2025-06-17 16:25:40 .. now
rolling week                             => 2025-06-11 16:25:40 .. now
trailing month                           => 2025-05-18 16:25:40 .. now
last 2000s                               => 2025-06-18 15:52:20 .. now
90s                                      => 2025-06-18 16:24:10 .. now
now-2000s                                => 2025-06-18 15:52:20 .. now
`;
